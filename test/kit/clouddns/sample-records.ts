// Record sets of `example.com.` for tests, right and wrong ones. It must not know which are which.

import type { ApiRecordSet } from "./api-types.ts";

/** Addresses at `name.example.com.` */
export const a = (name: string, ...rrdatas: string[]): ApiRecordSet => ({
  name: `${name}.example.com.`,
  type: "A",
  ttl: 30,
  rrdatas,
});

/** An alias there; several make it wrong. */
export const cname = (name: string, ...rrdatas: string[]) => ({
  ...a(name, ...rrdatas),
  type: "CNAME",
});

/** Addresses by place: region, then addresses. */
export const geo = (
  name: string,
  items: readonly (readonly [string, ...string[]])[],
): ApiRecordSet => ({
  name: `${name}.example.com.`,
  type: "A",
  ttl: 30,
  routingPolicy: { geo: { items: items.map(([location, ...rrdatas]) => ({ location, rrdatas })) } },
});

/** Addresses by weight: weight, then addresses. */
export const wrr = (
  name: string,
  items: readonly (readonly [number, ...string[]])[],
): ApiRecordSet => ({
  name: `${name}.example.com.`,
  type: "A",
  ttl: 30,
  routingPolicy: { wrr: { items: items.map(([weight, ...rrdatas]) => ({ weight, rrdatas })) } },
});
