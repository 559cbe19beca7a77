// What the control socket and the HTTP server ask of the running server. It must not know how
// they are asked, nor how the server does what it is asked for.

import type {
  ClusterList,
  EndpointPage,
  MirrorList,
  ReloadReport,
  SampleReport,
  ServicePage,
  VotesReport,
} from "./api-answers.ts";
import type { ServiceReport, StateReport, WhatIfReport, WhatIfRequest } from "./api-schemas.ts";
import type { EventLog } from "./event-log.ts";

/** The running server, as whoever controls it sees it. */
export interface ControlBackend {
  /** Plain data that JSON can carry. */
  status(): object;
  /** Why the server should be sent no queries yet, or no more, in one sentence; `undefined`: it is ready. */
  ready(): string | undefined;
  state(): Promise<StateReport>;
  clusters(): ClusterList;
  services(page: PageQuery): Promise<ServicePage>;
  /** @param key `namespace/name` */
  service(key: string): ServiceReport | undefined;
  endpoints(query: EndpointQuery): Promise<EndpointPage>;
  votes(query: EndpointQuery): Promise<VotesReport>;
  mirrors(): MirrorList;
  /** @param limit the most clients that are told. */
  sample(limit: number): SampleReport;
  explain(query: ExplainQuery): Promise<ExplainOutcome>;
  whatIf(request: WhatIfRequest): Promise<WhatIfOutcome>;
  drain(cluster: string, options: DrainOptions): Promise<DrainOutcome>;
  undrain(cluster: string, options: Pick<DrainOptions, "by">): Promise<DrainOutcome>;
  /** All drained clusters, in order of name. */
  drained(): readonly string[];
  /** Resolves when the files have been read and answers are from what they say, or it was refused. */
  reload(): Promise<ReloadReport>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
  readonly events: EventLog;
}

/** Which part of a list is wanted. */
export interface PageQuery {
  /** 1 to 1000. */
  readonly limit: number;
  /** What the page before said as `next`. */
  readonly after?: string | undefined;
}

/** Which endpoints are wanted. */
export interface EndpointQuery extends PageQuery {
  /** `namespace/name` */
  readonly service?: string | undefined;
  readonly cluster?: string | undefined;
  /** `unvoted`: those on which nobody votes; `voted`: all others. */
  readonly verdict?: "up" | "down" | "none" | "unvoted" | "voted" | undefined;
}

/** A question to explain, as it was written: the backend reads and checks the texts. */
export interface ExplainQuery {
  readonly name: string;
  /** Default: A. */
  readonly type?: string;
  /** A source address, or an ECS prefix with `/LEN`. */
  readonly client: string;
  /** The resolver that sends the ECS prefix. */
  readonly resolver?: string;
  /** What-if, as `whatIfSchema` has it: assumed verdicts and drains. */
  readonly health?: readonly string[];
  readonly drain?: readonly string[];
  readonly undrain?: readonly string[];
}

/** What is wrong with a request, in one sentence, and with which of its fields, if with one. */
export interface BadRequest {
  readonly ok: false;
  readonly message: string;
  readonly field?: string;
}

/** An explanation, or what is wrong with the query. */
export type ExplainOutcome = { readonly ok: true; readonly explanation: object } | BadRequest;

/** How traffic would move, what is wrong with the request, or why it cannot be told now. */
export type WhatIfOutcome =
  | { readonly ok: true; readonly report: WhatIfReport }
  | BadRequest
  | { readonly ok: false; readonly isBusy: true; readonly message: string };

/** How a cluster is drained. */
export interface DrainOptions {
  /** Also the last one that is neither drained nor disabled. */
  readonly force: boolean;
  /** Who wants it, for those who are told of it. */
  readonly by: string;
}

/** What a drain or its end came to; `drained` are all drained clusters then, in order of name. */
export type DrainOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly drained: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Where the control server says what it could not do, and who changed what; a pino logger fits. */
export interface ControlLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
