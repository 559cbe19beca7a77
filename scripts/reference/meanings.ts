// What keys mean whose schemas do not say it themselves: those of health checks and of the overrides
// file. It knows words only.

/** By the key's path, list items as `[]`. */
export type Meanings = Readonly<Record<string, string>>;

const healthCheck: Meanings = {
  type: "how an endpoint is probed",
  port: "number, or name of a port of the Service; TCP, for `dns` UDP or TCP; default: the Service's first of a fitting protocol",
  path: "what `http` and `https` ask for",
  host: "Host header and SNI, a name or an address, with a port or without; for `dns` the name that is asked, default NS of the root",
  expectStatus: "which statuses are well",
  expectBody: "text that the first 64 KiB of the body hold",
  insecureSkipVerify: "true: the certificate of `https` is not verified",
  intervalSeconds: "seconds between the starts of two probes",
  timeoutSeconds: "seconds of a whole probe; a start that comes while one runs is left out",
  fall: "failures until a voter says down",
  rise: "successes in a row until it says up",
  rampSeconds: "seconds in which an endpoint comes back by and by; 0: at once",
  maxEjectPercent: "most of a service's endpoints that the vote takes out",
};

/** Of Federation and FederatedService. */
export const healthCheckMeanings: Meanings = Object.fromEntries(
  Object.entries(healthCheck).map(([key, meaning]) => [`spec.healthCheck.${key}`, meaning]),
);

export const overrideMeanings: Meanings = {
  "[].network": "the clients; of several networks that hold one, the longest prefix wins",
  "[].latitude": "degrees, north is positive; with `longitude`",
  "[].longitude": "degrees, east is positive; with `latitude`",
  "[].country": "code of the country (ISO 3166-1 alpha-2)",
  "[].continent": "code of the continent",
  "[].cluster": "the cluster that they are inside",
  "[].region": "the region that they are in",
  "[].zone": "the zone that they are in",
};
