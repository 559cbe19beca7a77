// One entry of `spec.mirror`: a zone of a cloud DNS service that is kept like our own answers. It
// knows the settings as they are used; it must not know how any provider is called.

/** A mirror's settings. Paths are absolute. */
export type MirrorConfig = Route53Config | CloudDnsConfig;

export interface Route53Config extends MirrorSettings {
  readonly provider: "route53";
  /** The zone's id, without `/hostedzone/`. */
  readonly hostedZone: string;
  /** Where requests are signed for; `undefined`: as the SDK finds it, else us-east-1. */
  readonly region: string | undefined;
  /** The service's URL; `undefined`: AWS. */
  readonly endpoint: string | undefined;
  /** A profile of the shared AWS files. */
  readonly profile: string | undefined;
  /** `undefined`: as the SDK's own chain finds them. */
  readonly credentials:
    | {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken: string | undefined;
      }
    | undefined;
  /** How the cloud chooses with `strategy: geo`. */
  readonly policy: "geoproximity" | "latency" | "geolocation" | "weighted";
}

export interface CloudDnsConfig extends MirrorSettings {
  readonly provider: "clouddns";
  readonly project: string;
  readonly managedZone: string;
  /** A service account's key; `undefined`: Application Default Credentials. */
  readonly keyFile: string | undefined;
  /** Another server that speaks the API, such as `http://127.0.0.1:8080/dns/v1`: no credentials are sent. */
  readonly baseUrl: string | undefined;
  readonly policy: "geo" | "wrr";
}

/** What all mirrors have. */
export interface MirrorSettings {
  /** Whose records these are; `undefined`: the federation's name. */
  readonly owner: string | undefined;
  readonly strategy: "plain" | "geo";
  /** Of all records; `undefined`: as the services say. */
  readonly ttlSeconds: number | undefined;
  readonly include: ServicePatterns;
  readonly exclude: ServicePatterns;
  /** 0–100. */
  readonly maxDeletePercent: number;
  /** When everything is compared, as cron has it. */
  readonly schedule: string;
  /** Plans, and changes nothing. */
  readonly dryRun: boolean;
}

/** Services by globs over namespace and name; an empty list says nothing. */
export interface ServicePatterns {
  readonly namespaces: readonly string[];
  readonly names: readonly string[];
}
