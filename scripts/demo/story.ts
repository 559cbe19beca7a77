// The story of the demonstration: what is done, what must be seen then and within what time. It
// must not know how the stage is made.

import { setTimeout as delay } from "node:timers/promises";
import {
  healthCheck,
  type Place,
  places,
  placesText,
  type Stage,
  type VoterName,
  voterNames,
} from "./stage.ts";
import { waitFor } from "./wait-for.ts";

type Say = (line: string) => void;

const { intervalSeconds, fall, rise } = healthCheck;
/** The most that a verdict may take: probes in a row and what comes after them. */
const downMs = (intervalSeconds * fall + 1) * 1000;
const upMs = (intervalSeconds * rise + 1) * 1000;
/** A ballot counts for 15 s; a full one is sent every 5 s. */
const lostMs = 15_000 + 2000;
const agreedMs = 10_000;
const startMs = 15_000;
/** How long the frozen voter is watched while it changes nothing. */
const frozenMs = 4000;

const [first, second, third] = voterNames;
const everywhere = placesText(Object.keys(places));

/** Plays the story; rejects at the first thing that does not come as told. */
export async function tell(stage: Stage, say: Say): Promise<void> {
  say("Three voters probe three web services and vote on what they find.");
  await answers(voterNames, [], startMs, "all three give all three places");
  await quorum(voterNames, "held", startMs);
  await allUp();
  say(`All well: every voter hears the other two and answers ${everywhere}.`);

  say(`The service in tokyo is killed. Two of three votes are needed to take it out.`);
  await stage.services.tokyo.kill();
  const out = await answers(voterNames, ["tokyo"], downMs, "tokyo out of every answer");
  say(`Tokyo left all three answers ${seconds(out)} later; ${seconds(downMs)} are allowed.`);

  say("Tokyo is brought back.");
  await stage.services.tokyo.revive();
  const back = await answers(voterNames, [], upMs, "tokyo in every answer");
  say(`Tokyo is in all three answers again after ${seconds(back)}; ${seconds(upMs)} are allowed.`);

  say(`${third} is cut off: no ballot reaches it or leaves it. Its probes go on.`);
  stage.cutOff(third);
  const lost = await quorum([third], "lost", lostMs);
  say(
    `${third} says "quorum: lost" after ${seconds(lost)}: the last ballots that it heard are old.`,
  );
  await quorum([first, second], "held", 0);
  say(`${first} and ${second} still are two of three: their quorum is held.`);

  say("The service in denver is killed. Everybody can see it, but who may decide?");
  await stage.services.denver.kill();
  const decided = await answers([first, second], ["denver"], downMs, "denver out of two answers");
  say(`${first} and ${second} took denver out after ${seconds(decided)}.`);
  await delay(frozenMs);
  await answers([third], [], 0, `the answer of ${third} unchanged`);
  const frozen = await frozenReason(third, "denver");
  say(`${third} alone changes nothing: it still answers ${everywhere}.`);
  say(`It says of denver: frozen, ${frozen}.`);

  say(`${third} is connected again.`);
  stage.bringBack(third);
  const agreed = await answers([third], ["denver"], agreedMs, `${third} following the others`);
  await quorum(voterNames, "held", agreedMs);
  say(`${third} hears the others, and agrees with them after ${seconds(agreed)}.`);

  say("Denver is brought back.");
  await stage.services.denver.revive();
  const whole = await answers(voterNames, [], upMs, "denver in every answer");
  say(`All three answers are whole again after ${seconds(whole)}. That is the story.`);

  /** Waits until these voters answer every place but these; the milliseconds that it took. */
  async function answers(
    voters: readonly VoterName[],
    without: readonly Place[],
    withinMs: number,
    what: string,
  ): Promise<number> {
    const wanted = placesText(
      Object.keys(places).filter((each) => !without.some((place) => place === each)),
    );
    const look = () => voters.map((name) => stage.answer(name));
    const isWanted = (seen: readonly string[]) => seen.every((each) => each === wanted);
    return (await waitFor(what, withinMs, look, isWanted)).tookMs;
  }

  async function quorum(
    voters: readonly VoterName[],
    wanted: "held" | "lost",
    withinMs: number,
  ): Promise<number> {
    const look = () =>
      Promise.all(voters.map(async (name) => (await stage.voter(name).health()).quorum));
    const isWanted = (seen: readonly string[]) => seen.every((each) => each === wanted);
    return (await waitFor(`quorum ${wanted} at ${voters}`, withinMs, look, isWanted)).tookMs;
  }

  /** Waits until every voter has heard every voter say up of everything. */
  async function allUp(): Promise<void> {
    const look = async () => {
      const all = await Promise.all(voterNames.map((name) => stage.voter(name).health()));
      return all.flatMap(({ endpoints }) =>
        endpoints.flatMap(({ votes }) => votes.map(({ word }) => word)),
      );
    };
    await waitFor("every voter saying up of everything", startMs, look, (words) =>
      words.every((word) => word === "up"),
    );
  }

  async function frozenReason(name: VoterName, place: Place): Promise<string> {
    const { endpoints } = await stage.voter(name).health();
    const found = endpoints.find(({ address }) => address === places[place]);
    const reason = found?.frozenBecause;
    if (reason) return reason;
    throw new Error(`cannot see ${place} frozen at ${name}: got ${JSON.stringify(found)}`);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
