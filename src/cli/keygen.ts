// `meridian keygen`: makes a new key for voters. Does I/O.

import { newKeyText, writeNewKey } from "../health/key-file.ts";
import { ExitStatus } from "./output.ts";

/**
 * Prints the key, or writes it to a file that does not exist yet and says what to do with it.
 * @returns the exit status: 2 if the file cannot be written.
 */
export function keygen(file: string | undefined): number {
  if (file === undefined) {
    console.log(newKeyText());
    return ExitStatus.FINE;
  }
  const writing = writeNewKey(file);
  if (!writing.ok) {
    console.error(`${writing.message}, got ${file}`);
    return ExitStatus.FAILED;
  }
  console.log(
    `${file}: new key, mode 0600; give every voter the same as its secretFile. To change keys ` +
      "without a stop: add it as second line everywhere, then make it the first line everywhere, " +
      "then remove the old one.",
  );
  return ExitStatus.FINE;
}
