// What metrics call the mirrors of a server, so that each is counted by itself. It must not know what
// is counted, nor how it is shown.

import type { MirrorConfig } from "../config/mirror-config.ts";
import type { MirrorMeter } from "../mirror/mirror-meter.ts";
import { mirrorLabel } from "./mirror-provider.ts";

/** The names of mirrors in their order: the zone, and its owner where several keep one zone. */
export function mirrorNames(mirrors: readonly MirrorConfig[], federationName: string): string[] {
  const labels = mirrors.map(mirrorLabel);
  return mirrors.map((mirror) => {
    const label = mirrorLabel(mirror);
    const isAlone = labels.filter((each) => each === label).length === 1;
    return isAlone ? label : `${label} (owner ${mirror.owner ?? federationName})`;
  });
}

/** Counts for the mirror of this name, whatever it is called by whoever tells. */
export function meterOf(meter: MirrorMeter, name: string): MirrorMeter {
  return {
    called: (_, operation) => meter.called(name, operation),
    throttled: () => meter.throttled(name),
    changed: (_, kind, count) => meter.changed(name, kind, count),
    drifted: (_, count) => meter.drifted(name, count),
    conflicts: (_, count) => meter.conflicts(name, count),
    records: (_, count) => meter.records(name, count),
    ran: (_, outcome) => meter.ran(name, outcome),
    succeeded: (_, atSeconds) => meter.succeeded(name, atSeconds),
  };
}
