// The real server and the real `meridian explain --json` say the same, for generated federations
// that both read from the same folder.

import { expect } from "chai";
import { writeMmdb } from "../../geoip/write-mmdb.ts";
import { formatNetwork } from "../../src/dns/address.ts";
import { formatName } from "../../src/dns/name.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { explainJson } from "../kit/command.ts";
import { sourceStateOf } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { query } from "../kit/dns-client.ts";
import { generateEcs, generateQuestion, namesOf } from "../kit/generated-queries.ts";
import {
  databaseFile,
  type GeneratedWorld,
  generateWorld,
  overridesFile,
} from "../kit/generators.ts";
import {
  type PlainAnswer,
  plainExplanation,
  plainMessage,
  withoutRotation,
  withoutSpelling,
} from "../kit/plain-answer.ts";
import { type RunningServer, startServer } from "../kit/server.ts";

const federations = 10;
const queriesEach = 3;

describe("meridian serve and meridian explain", () => {
  for (let seed = 0; seed < federations; seed++) {
    it(`say the same, federation ${seed}`, async () => {
      const world = generateWorld(seed, { hostnames: false });
      const server = await startWorld(world);
      try {
        const { model } = sourceStateOf(world.files, () => ({ addresses: [], state: "stale" }));
        const names = namesOf(world, model);
        const dice = new Dice(seed);
        for (let at = 0; at < queriesEach; at++) {
          const question = generateQuestion(dice, names);
          const [name, type] = [formatName(question.name), recordType(question.type).mnemonic];
          const { source, subnet } = generateClient(dice, world, model.clusters.size);
          const ecs = subnet === undefined ? {} : { subnet };
          const options = { localAddress: source, transport: "tcp", ...ecs } as const;
          const message = await query(server, name, type, options);
          expect(message.questions.map((each) => formatName(each.name))).to.deep.equal([name]);
          const answered = plainMessage(message);
          const explained = subnet
            ? await explainJson(server.folder, name, type, subnet, source)
            : await explainJson(server.folder, name, type, source);
          // Length 0 asks for the resolver itself: the option is echoed and has no scope.
          const scope = subnet?.endsWith("/0") ? null : answered.scope;
          expect(
            comparable(plainExplanation(explained)),
            `${name} ${type} for ${subnet ?? "the source"} by ${source}`,
          ).to.deep.equal(comparable({ ...answered, scope }));
        }
      } finally {
        await server.stop();
      }
    });
  }
});

function startWorld(world: GeneratedWorld): Promise<RunningServer> {
  return startServer({
    files: {
      ...world.files,
      [overridesFile]: JSON.stringify(world.overrides),
      [databaseFile]: writeMmdb(world.database),
    },
    serverSpec: {
      geoip: { databases: [databaseFile], overrides: overridesFile },
      trustedResolvers: world.trustedResolvers,
    },
  });
}

/** A client on this machine, inside a cluster or outside, with an ECS prefix or without. */
function generateClient(
  dice: Dice,
  world: GeneratedWorld,
  clusters: number,
): { source: string; subnet: string | undefined } {
  // 127.0.0.9 is trusted in some worlds.
  const source = dice.pick(["127.0.0.1", "127.0.0.9", `127.0.${dice.integer(1, clusters)}.7`]);
  if (dice.chance(0.4)) return { source, subnet: undefined };
  const { address, sourceLength: prefixLength } = generateEcs(dice, world);
  return { source, subnet: formatNetwork({ address, prefixLength }) };
}

/**
 * The same without what may differ: rotation, the spelling of names behind the question's, and the
 * SOA's serial, which is the time.
 */
function comparable(plain: PlainAnswer): PlainAnswer {
  const answer = withoutSpelling(withoutRotation(plain));
  return {
    ...answer,
    authorities: answer.authorities.map((each) => each.replace(/( SOA \S+ \S+) \d+/, "$1 serial")),
    answers: answer.answers.map((each) => each.replace(/( SOA \S+ \S+) \d+/, "$1 serial")),
  };
}
