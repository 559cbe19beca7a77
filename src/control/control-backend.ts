// What the control socket and the HTTP server ask of the running server. It must not know how
// they are asked, nor how the server does what it is asked for.

/** The running server, as whoever controls it sees it. */
export interface ControlBackend {
  /** Plain data that JSON can carry. */
  status(): object;
  explain(query: ExplainQuery): Promise<ExplainOutcome>;
  drain(cluster: string, options: { readonly force: boolean }): Promise<DrainOutcome>;
  undrain(cluster: string): Promise<DrainOutcome>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
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
}

/** An explanation, or what is wrong with the query. */
export type ExplainOutcome =
  | { readonly ok: true; readonly explanation: object }
  | { readonly ok: false; readonly message: string };

/** What a drain or its end came to; `drained` are all drained clusters then, in order of name. */
export type DrainOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly drained: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Where the control server says what it could not do; a pino logger fits. */
export interface ControlLog {
  error(fields: object, message: string): void;
}
