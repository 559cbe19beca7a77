// A health check with the defaults of the configuration. It must not know services.

import type { HealthCheck } from "../../src/federation/model.ts";

const defaults: HealthCheck = {
  type: "http",
  port: undefined,
  path: "/",
  intervalSeconds: 10,
  timeoutSeconds: 3,
  fall: 3,
  rise: 2,
  rampSeconds: 0,
  maxEjectPercent: 100,
  expectStatus: "200-399",
  expectBody: undefined,
  host: undefined,
  insecureSkipVerify: false,
};

/** A health check that differs from the defaults in what is given. */
export function healthCheck(given: Partial<HealthCheck> = {}): HealthCheck {
  return { ...defaults, ...given };
}
