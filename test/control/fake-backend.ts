// A backend that remembers what it was asked, for tests of the control server. It must not know
// how it was asked.

import type {
  ClusterList,
  EndpointPage,
  MirrorList,
  ReloadReport,
  SampleReport,
  ServicePage,
  VotesReport,
} from "../../src/control/api-answers.ts";
import type { ServiceReport, StateReport, WhatIfRequest } from "../../src/control/api-schemas.ts";
import type {
  ControlBackend,
  ControlLog,
  DrainOptions,
  DrainOutcome,
  EndpointQuery,
  ExplainOutcome,
  ExplainQuery,
  PageQuery,
  WhatIfOutcome,
} from "../../src/control/control-backend.ts";
import { EventLog } from "../../src/control/event-log.ts";

const at = "2026-11-21T08:00:00.000Z";

export class FakeBackend implements ControlBackend {
  readonly events = new EventLog(() => Date.parse(at));
  readonly asked: unknown[] = [];
  /** What drains come to. */
  outcome: DrainOutcome = { ok: true, changed: true, drained: ["cluster-2"] };
  /** Thrown by `status`, if given. */
  failure: Error | undefined;
  /** Why it is not ready. */
  notReady: string | undefined;

  status(): object {
    if (this.failure) throw this.failure;
    return { name: "ns1" };
  }

  ready(): string | undefined {
    return this.notReady;
  }

  async state(): Promise<StateReport> {
    return {
      name: "ns1",
      version: "0.0.0",
      now: at,
      startedAt: at,
      isReady: this.notReady === undefined,
      notReadyBecause: this.notReady ?? null,
      federation: { name: "my-federation", domain: "my-domain.com" },
      listen: [],
      clusters: [],
      services: 0,
      reload: { at, problems: 0 },
      quorum: null,
      mirrors: 0,
      traffic: { responses: 0, byRcode: {}, dropped: 0 },
      snapshot: { ageSeconds: 0, octets: 0, buildSeconds: 0 },
      flowsBy: "routing",
      flows: [],
    };
  }

  clusters(): ClusterList {
    return { items: [] };
  }

  async services(page: PageQuery): Promise<ServicePage> {
    this.asked.push({ services: page });
    return { items: [], next: null };
  }

  service(key: string): ServiceReport | undefined {
    this.asked.push({ service: key });
    return undefined;
  }

  async endpoints(query: EndpointQuery): Promise<EndpointPage> {
    this.asked.push({ endpoints: query });
    return { items: [], next: null };
  }

  async votes(query: EndpointQuery): Promise<VotesReport> {
    this.asked.push({ votes: query });
    return { quorum: null, voters: [], warnings: [], items: [], next: null };
  }

  mirrors(): MirrorList {
    return { items: [] };
  }

  sample(limit: number): SampleReport {
    this.asked.push({ sample: limit });
    return { isKept: false, items: [] };
  }

  async explain(query: ExplainQuery): Promise<ExplainOutcome> {
    this.asked.push({ explain: query });
    if (query.client === "nobody") {
      return { ok: false, field: "client", message: "cannot read client, got nobody" };
    }
    return { ok: true, explanation: { question: query.name } };
  }

  async whatIf(request: WhatIfRequest): Promise<WhatIfOutcome> {
    this.asked.push({ whatIf: request });
    return { ok: false, field: "queries", message: "cannot replay: there is no sample" };
  }

  async drain(cluster: string, options: DrainOptions): Promise<DrainOutcome> {
    this.asked.push({ drain: cluster, ...options });
    return this.outcome;
  }

  async undrain(cluster: string, options: Pick<DrainOptions, "by">): Promise<DrainOutcome> {
    this.asked.push({ undrain: cluster, ...options });
    return this.outcome;
  }

  drained(): string[] {
    return [];
  }

  async reload(): Promise<ReloadReport> {
    this.asked.push("reload");
    return { outcome: "unchanged", problems: [] };
  }

  async metrics(): Promise<string> {
    return "meridian_quorum 1\n";
  }
}

/** A log that is kept. */
export class FakeLog implements ControlLog {
  readonly lines: string[] = [];
  /** What was written for the audit. */
  readonly audited: object[] = [];

  info(fields: object, message: string): void {
    this.#add(fields, message);
  }

  warn(fields: object, message: string): void {
    this.#add(fields, message);
  }

  error(fields: object, message: string): void {
    this.#add(fields, message);
  }

  #add(fields: object, message: string): void {
    if ("event" in fields && fields.event === "audit") this.audited.push(fields);
    else this.lines.push(`${message} ${"url" in fields ? fields.url : ""}`.trim());
  }
}
