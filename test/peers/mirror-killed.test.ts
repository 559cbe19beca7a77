// `meridian mirror apply` killed at a random moment, again and again: no record of ours is ever
// without its ownership, nothing of others is touched, and the next run completes what was begun.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect } from "chai";
import { runCommand } from "../kit/command.ts";
import { Dice } from "../kit/dice.ts";
import { lineOf, type MirrorStand, standKinds, unpaired } from "../kit/mirror-stands.ts";
import {
  type MirroredService,
  type MirroredWorld,
  MirrorFolder,
  threeClusters,
  wantedLines,
} from "./mirror-world.ts";

const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
const kills = 25;
const latencyMs = 30;
const seeds = { route53: 53, clouddns: 8 };
/** Of eight names each: several batches of Route 53, whose limits are what they are. */
const mostServices = { route53: 160, clouddns: 60 };

describe("meridian mirror apply, killed", () => {
  for (const kind of standKinds) {
    const seed = seeds[kind.provider];
    describe(`while it changes ${kind.provider} (seed ${seed})`, function () {
      this.timeout(300_000);
      let stand: MirrorStand;
      let folder: MirrorFolder;
      const dice = new Dice(seed);
      const nextWorld = (): MirroredWorld => randomWorld(dice, mostServices[kind.provider]);

      before(async () => {
        stand = await kind.start({
          latencyMs,
          // Several batches to a run.
          quota: { rrsetAdditionsPerChange: 60, rrsetDeletionsPerChange: 60 },
        });
        folder = new MirrorFolder(nextWorld(), { ...stand.spec, maxDeletePercent: 100 });
        stand.put({ name: "www.my-domain.com.", type: "A", ttl: 60, values: ["203.0.113.1"] });
        stand.put({
          name: "s01.prod.other.my-domain.com.",
          type: "A",
          ttl: 60,
          values: ["203.0.113.2"],
        });
      });
      after(async () => {
        await stand?.stop();
        folder?.remove();
      });

      it(`leaves what the next run completes, ${kills} times`, async () => {
        let cut = 0;
        let runMs = await timed(() => run(folder));
        let changingMs = spanOf(stand.changes());
        for (let round = 1; round <= kills; round++) {
          const world = nextWorld();
          const before = stand.changeCount();
          folder.use(world);
          const label = `round ${round}`;
          if (dice.chance(0.5)) await runAndKill(folder, dice.unit() * runMs);
          else {
            // A run begins with reading: so the moment is one between changes more often.
            const begun = () => stand.changeCount() > before;
            await runAndKill(folder, dice.unit() * changingMs, begun);
          }
          expectWhole(stand, label);
          const made = stand.changeCount() - before;
          if (made > 0 && ourLines(stand).join() !== wantedLines(world).join()) cut++;
          const beforeLast = stand.changeCount();
          runMs = await timed(() => run(folder));
          changingMs = Math.max(changingMs, spanOf(stand.changes().slice(beforeLast)));
          expectWhole(stand, label);
          expect(ourLines(stand), label).to.deep.equal(wantedLines(world));
        }
        // Else all of them ended before or after the changes, and this says nothing.
        expect(cut, "runs that were cut between two changes").to.be.at.least(3);
      });
    });
  }
});

async function run(folder: MirrorFolder): Promise<void> {
  const { status, stderr } = await runCommand(["mirror", "apply"], folder.path);
  expect(status, stderr).to.equal(0);
}

/**
 * Ends a run so many milliseconds after it was started, or after `begun` is first seen to hold.
 * Resolves when the process is gone.
 */
async function runAndKill(
  folder: MirrorFolder,
  afterMs: number,
  begun: () => boolean = () => true,
): Promise<void> {
  const child = spawn(process.execPath, [command, "mirror", "apply"], {
    cwd: folder.path,
    stdio: "ignore",
  });
  const closed = once(child, "close");
  let killing: NodeJS.Timeout | undefined;
  const looking = setInterval(() => {
    if (!begun()) return;
    clearInterval(looking);
    killing = setTimeout(() => child.kill("SIGKILL"), afterMs);
  }, 2);
  await closed;
  clearInterval(looking);
  clearTimeout(killing);
}

/** From the first to the last, and at least one answer's time. */
function spanOf(changes: readonly { readonly at: number }[]): number {
  return Math.max(latencyMs, (changes.at(-1)?.at ?? 0) - (changes[0]?.at ?? 0));
}

/** Nothing of ours is without ownership, nor ownership without a record; others' is as it was. */
function expectWhole(stand: MirrorStand, label: string): void {
  const records = stand.records();
  expect(
    unpaired(records.filter(({ name }) => name.includes("my-federation"))),
    label,
  ).to.deep.equal([]);
  expect(
    records.filter(({ name }) => !name.includes("my-federation")).map(lineOf),
    label,
  ).to.deep.equal([
    "s01.prod.other.my-domain.com. A 60 203.0.113.2",
    "www.my-domain.com. A 60 203.0.113.1",
  ]);
}

function ourLines(stand: MirrorStand): string[] {
  return stand
    .records()
    .filter(({ name, type }) => type !== "TXT" && name.includes("my-federation"))
    .map(({ name, type, values }) => `${name} ${type} ${values}`)
    .sort();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Half of the services, each in some of the clusters with one or two of few addresses. */
function randomWorld(dice: Dice, mostServices: number): MirroredWorld {
  const numbers = Array.from({ length: mostServices }, (_, at) => at + 1);
  const services = dice.some(numbers, 0.5).map((number): [string, MirroredService] => {
    const placed = dice.some(threeClusters, 0.6);
    const homes = placed.length > 0 ? placed : threeClusters.slice(0, 1);
    const key = `prod/s${String(number).padStart(3, "0")}`;
    const addresses = homes.map(({ name }): [string, string[]] => {
      const at = threeClusters.findIndex((each) => each.name === name);
      const first = `192.0.2.${at * 80 + dice.integer(1, 2)}`;
      return [name, dice.chance(0.3) ? [first, `192.0.2.${at * 80 + 70}`] : [first]];
    });
    return [key, Object.fromEntries(addresses)];
  });
  return { clusters: threeClusters, services: Object.fromEntries(services) };
}
