// All that the sources know of the federation, whole and merged. It must not know clients, health
// or files.

import type { Cluster, Federation } from "./model.ts";
import type { ServiceReader } from "./service-reader.ts";

/** @typeParam Services `ServiceTable` where they may be changed. */
export interface Model<Services extends ServiceReader = ServiceReader> {
  readonly federation: Federation;
  /** By name. */
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly services: Services;
}
