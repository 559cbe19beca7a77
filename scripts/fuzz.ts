// A long fuzz run of the whole answer path: rounds of 200,000 packets, each with a seed of its own,
// until the time is over or a fault is found. Usage: tsx scripts/fuzz.ts [MINUTES] [FIRST-SEED]

import { fuzzAnswers } from "../test/fuzz/fuzz-answers.ts";
import { fuzzState } from "../test/fuzz/fuzz-state.ts";

const packetsInRound = 200_000;
const [minutes = "10", firstSeed = "1"] = process.argv.slice(2);
const minuteCount = Number(minutes);
const first = Number(firstSeed);
if (!(minuteCount > 0) || !Number.isInteger(first)) {
  console.error("usage: tsx scripts/fuzz.ts [MINUTES] [FIRST-SEED]");
  process.exit(64);
}

const state = await fuzzState();
const endMs = performance.now() + minuteCount * 60_000;
for (let seed = first; performance.now() < endMs; seed++) {
  const { packets, rcodes, silent, faults } = fuzzAnswers(state, seed, packetsInRound);
  const counts = [...rcodes]
    .sort(([a], [b]) => a - b)
    .map(([rcode, count]) => `${rcode}: ${count}`);
  console.log(`seed ${seed}: ${packets} packets, by rcode ${counts.join(", ")}, silent ${silent}`);
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exit(1);
  }
}
