// The words between the benchmark and the process that attacks. Plain data.

/** What the process is told: whom to attack, then when to begin and to end. */
export type AttackOrder =
  | {
      readonly order: "meet";
      readonly port: number;
      /** In base64. */
      readonly key: string;
      readonly voters: readonly [string, string, string];
      readonly endpoints: readonly string[];
    }
  | { readonly order: "begin"; readonly rate: number }
  | { readonly order: "end" };

/** What came of one stretch of attack. */
export interface AttackCounts {
  readonly seconds: number;
  /** Requests that were sent, by the reason that must be given for them. */
  readonly sent: Readonly<Record<string, number>>;
  /** Answers by what they said; `none`: the connection ended without. */
  readonly answered: Readonly<Record<string, number>>;
  /** Requests that were due and not sent: too many waited for an answer. */
  readonly withheld: number;
  /** For each honest ballot that was taken meanwhile, milliseconds until it was. */
  readonly honestMs: readonly number[];
}
