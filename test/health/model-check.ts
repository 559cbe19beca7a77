// The law of the model test (semantics 7): over random schedules of probes, ballots, deaths and
// clocks no verdict turns without a majority of live words at that moment, and in the end all who
// are connected agree. A failure tells its schedule in words.

import fc from "fast-check";
import { runSchedule, type Schedule } from "./model-schedule.ts";

/** Whole numbers alone are quick to make: there are a hundred thousand schedules. */
const numbers = fc.nat({ max: 0x7fffffff });
const stepLists = fc.array(numbers, { minLength: 10, maxLength: 40, size: "max" });

/** Runs so many schedules of federations with one of these numbers of voters. */
export function checkSchedules(voterCounts: readonly number[], seed: number, count: number): void {
  const schedules = fc.record(
    { voters: fc.constantFrom(...voterCounts), setup: numbers, steps: stepLists },
    { noNullPrototype: true },
  );
  const law = fc.property(fc.noBias(schedules), (schedule) => {
    try {
      runSchedule(schedule);
    } catch (problem) {
      throw new Error(`${problem}\n${storyOf(schedule)}`, { cause: problem });
    }
  });
  fc.assert(law, { seed, numRuns: count });
}

/** The same schedule once more, in words. */
function storyOf(schedule: Schedule): string {
  const story: string[] = [];
  try {
    runSchedule(schedule, story);
  } catch {
    // It is known to fail.
  }
  return story.join("\n");
}
