// A snapshot as the data plane is handed it. It must not know what is in it.

import { type Snapshot, type SnapshotImage, snapshotImage } from "../../src/answer/snapshot.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { epochMarks } from "../../src/memory/epochs.ts";

/** The image of a snapshot that was compiled in this thread, for at most eight others. */
export function imageOf(snapshot: Snapshot, drained: readonly string[] = []): SnapshotImage {
  const { services } = snapshot.model;
  if (!(services instanceof ServiceTable)) {
    throw new Error("cannot make an image: the services are another thread's");
  }
  return snapshotImage(snapshot, services.share(epochMarks(8)), drained);
}
