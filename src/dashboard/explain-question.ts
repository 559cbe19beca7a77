// What the box asks: a name, a type, a client, and what-if; as the API takes it. It must not know
// who sends it, nor what is answered.

/** What is assumed of a cluster; `as-is`: nothing. */
export type Assumption = "as-is" | "down" | "up" | "drained" | "undrained";

export interface ExplainQuestion {
  readonly name: string;
  readonly type: string;
  readonly client: string;
  /** By cluster. */
  readonly assumed: Readonly<Record<string, Assumption>>;
}

export const recordTypes = ["A", "AAAA", "SRV", "CNAME", "TXT", "NS", "SOA"] as const;

/** The path and query of `GET /v1/explain`. */
export function explainPath({ name, type, client, assumed }: ExplainQuestion): string {
  const query = new URLSearchParams({ name: name.trim(), type, client: client.trim() });
  for (const [cluster, assumption] of Object.entries(assumed)) {
    const parameter = parameterOf(cluster, assumption);
    if (parameter) query.append(...parameter);
  }
  return `/v1/explain?${query}`;
}

function parameterOf(cluster: string, assumption: Assumption): [string, string] | undefined {
  switch (assumption) {
    case "as-is":
      return undefined;
    case "down":
    case "up":
      return ["health", `${cluster}=${assumption}`];
    case "drained":
      return ["drain", cluster];
    case "undrained":
      return ["undrain", cluster];
  }
}

/** What can be assumed of a cluster: not what it is already. */
export function assumptionsFor(isDrained: boolean): readonly (readonly [Assumption, string])[] {
  const drains: readonly [Assumption, string] = isDrained
    ? ["undrained", "not drained"]
    : ["drained", "drained"];
  return [["as-is", "as it is"], drains, ["down", "all down"], ["up", "all up"]];
}

/** The assumptions in words: `if london is drained and tokyo is all down`; empty for none. */
export function assumedText(assumed: ExplainQuestion["assumed"]): string {
  const parts = Object.entries(assumed).flatMap(([cluster, assumption]) => {
    const words = assumptionWords[assumption];
    return words === undefined ? [] : [`${cluster} is ${words}`];
  });
  return parts.length === 0 ? "" : `if ${parts.join(" and ")}`;
}

const assumptionWords: Readonly<Record<Assumption, string | undefined>> = {
  "as-is": undefined,
  down: "all down",
  up: "all up",
  drained: "drained",
  undrained: "not drained",
};
