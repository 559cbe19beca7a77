// A backend that remembers what it was asked, for tests of the control server. It must not know
// how it was asked.

import type {
  ControlBackend,
  ControlLog,
  DrainOutcome,
  ExplainOutcome,
  ExplainQuery,
} from "../../src/control/control-backend.ts";

export class FakeBackend implements ControlBackend {
  readonly asked: unknown[] = [];
  /** What drains come to. */
  outcome: DrainOutcome = { ok: true, changed: true, drained: ["cluster-2"] };
  /** Thrown by `status`, if given. */
  failure: Error | undefined;

  status(): object {
    if (this.failure) throw this.failure;
    return { name: "ns1" };
  }

  async explain(query: ExplainQuery): Promise<ExplainOutcome> {
    this.asked.push({ explain: query });
    if (query.client === "nobody") return { ok: false, message: "cannot read client, got nobody" };
    return { ok: true, explanation: { question: query.name } };
  }

  async drain(cluster: string, { force }: { force: boolean }): Promise<DrainOutcome> {
    this.asked.push({ drain: cluster, force });
    return this.outcome;
  }

  async undrain(cluster: string): Promise<DrainOutcome> {
    this.asked.push({ undrain: cluster });
    return this.outcome;
  }

  async metrics(): Promise<string> {
    return "meridian_quorum 1\n";
  }
}

/** A log that is kept. */
export class FakeLog implements ControlLog {
  readonly lines: string[] = [];

  error(fields: object, message: string): void {
    this.lines.push(`${message} ${"url" in fields ? fields.url : ""}`.trim());
  }
}
