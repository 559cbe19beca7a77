// How long laws are tried: npm test tries each over a part of its cases, as all of them would take longer
// than it should; test/peers/long-laws.test.ts tries them whole. Does I/O: it reads the environment.

/** Set where laws are to be tried whole. */
export const atLength = "TESTS_AT_LENGTH";

/** So many cases are to be tried of a law's `whole`. */
export function casesOf(whole: number, part: number): number {
  return process.env[atLength] === undefined ? part : whole;
}
