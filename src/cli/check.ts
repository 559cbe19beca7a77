// `meridian check`: reads everything, says what is wrong, or what it holds and what to look at. Does I/O.

import path from "node:path";
import { ControlFiles } from "./control-files.ts";
import { ExitStatus, printProblems } from "./output.ts";
import { summaryLines, warnings } from "./summary.ts";
import { WorldReader } from "./world.ts";

/** Resolves with the exit status. */
export async function check(configFile: string): Promise<number> {
  const secrets = new ControlFiles(path.resolve(configFile));
  const reading = secrets.read(await new WorldReader(configFile).read(), () => undefined);
  if (!reading.ok) {
    printProblems(reading.problems);
    return ExitStatus.BAD_INPUT;
  }
  const tls = secrets.readTls(reading.state.config.control);
  if (!tls.ok) {
    printProblems([tls.problem]);
    return ExitStatus.BAD_INPUT;
  }
  for (const line of summaryLines(reading.state)) console.log(line);
  for (const line of warnings(reading.state)) console.log(`warning: ${line}`);
  return ExitStatus.FINE;
}
