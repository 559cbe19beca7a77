// `meridian check`: reads everything, says what is wrong or what it holds. Does I/O.

import { ExitStatus, printProblems } from "./output.ts";
import { summaryLines } from "./summary.ts";
import { WorldReader } from "./world.ts";

/** Resolves with the exit status. */
export async function check(configFile: string): Promise<number> {
  const reading = await new WorldReader(configFile).read();
  if (!reading.ok) {
    printProblems(reading.problems);
    return ExitStatus.BAD_INPUT;
  }
  for (const line of summaryLines(reading.state)) console.log(line);
  return ExitStatus.FINE;
}
