// Plans of mirrors in few words, and one with something of everything.

import type {
  ChangeReason,
  Conflict,
  MirrorPlan,
  Plan,
  PlannedChange,
} from "../../src/mirror/plan-types.ts";
import type { RecordPart, RecordSet, Routing } from "../../src/mirror/record-set.ts";

/** A name below the services of the example. */
export function nameOf(labels: string): string {
  return `${labels}.my-federation.svc.my-domain.com.`;
}

/** A record set of everybody. */
export function plain(name: string, type: string, ttl: number, ...values: string[]): RecordSet {
  return { name, type, parts: [{ ttlSeconds: ttl, values }] };
}

/** A record set that the cloud chooses from. */
export function routed(
  name: string,
  type: string,
  ...parts: [routing: Routing, ttl: number, ...values: string[]][]
): RecordSet {
  return {
    name,
    type,
    parts: parts.map(
      ([routing, ttlSeconds, ...values]): RecordPart => ({ ttlSeconds, values, routing }),
    ),
  };
}

export function create(after: RecordSet, reason: ChangeReason = "wanted"): PlannedChange {
  return { kind: "create", after, reason, isOwnership: after.type === "TXT" };
}

export function update(
  before: RecordSet,
  after: RecordSet,
  reason: ChangeReason = "wanted",
): PlannedChange {
  return { kind: "update", before, after, reason, isOwnership: after.type === "TXT" };
}

export function remove(before: RecordSet, reason: ChangeReason = "unwanted"): PlannedChange {
  return { kind: "delete", before, reason, isOwnership: before.type === "TXT" };
}

/** The ownership record of a record set. */
export function ownership(type: string, name: string, owner = "meridian/owner=me"): RecordSet {
  const heritage = owner.split("/")[0];
  const value = `"heritage=${heritage},${owner},${heritage}/resource=service/shop/checkout"`;
  return plain(`_meridian-${type.toLowerCase()}.${name}`, "TXT", 300, value);
}

/** A plan of these groups of changes. */
export function planOf(
  groups: readonly (readonly PlannedChange[])[],
  rest: Partial<Omit<MirrorPlan, "plan">> & Partial<Omit<Plan, "groups">> = {},
): MirrorPlan {
  const { conflicts = [], owned = 0, unchanged = 0, lost = 0, ...around } = rest;
  return {
    mirror: "route53 Z123",
    domain: "my-domain.com.",
    owner: "me",
    fidelity: [],
    obstacles: [],
    ...around,
    plan: {
      groups: groups.map((changes) => ({
        name: "checkout.my-domain.com.",
        service: "shop/checkout",
        changes,
        lost: 0,
      })),
      ...{ conflicts, owned, unchanged, lost },
    },
  };
}

/** Something that stands in the way of `blog`. */
export function foreign(): Conflict {
  const name = nameOf("blog.web");
  return {
    name,
    type: "A",
    service: "web/blog",
    reason: "foreign",
    message: `cannot write A ${name}: it is there already, and nobody says that it is ours`,
    wanted: plain(name, "A", 60, "198.51.100.9"),
    found: [plain(name, "A", 300, "203.0.113.7")],
  };
}

const checkout = nameOf("checkout.shop");
const cart = nameOf("cart.shop");
const old = nameOf("old.shop");
const media = nameOf("media.web");
const pages = nameOf("pages.web");

/** Something of everything, as the documentation shows it. */
export const example: MirrorPlan = planOf(
  [
    [
      create(plain(cart, "A", 60, "198.51.100.4", "198.51.100.3")),
      create(ownership("A", cart)),
      create(plain(cart, "AAAA", 60, "2001:db8::3")),
      create(ownership("AAAA", cart)),
    ],
    [update(plain(checkout, "A", 180, "198.51.100.1"), plain(checkout, "A", 30, "198.51.100.2"))],
    [remove(plain(old, "A", 60, "198.51.100.5")), remove(ownership("A", old))],
    [
      update(
        routed(
          media,
          "A",
          [geoproximity("london", "51.51", "-0.13"), 60, "192.0.2.1", "192.0.2.2"],
          [geoproximity("tokyo", "35.68", "139.69"), 60, "192.0.2.3"],
        ),
        routed(
          media,
          "A",
          [geoproximity("london", "51.51", "-0.13"), 60, "192.0.2.2"],
          [geoproximity("tokyo", "35.68", "139.69"), 60, "192.0.2.3"],
          [geoproximity("denver", "39.74", "-104.98"), 60, "192.0.2.4"],
        ),
      ),
    ],
    [update(plain(pages, "A", 300, "203.0.113.1"), plain(pages, "A", 60, "198.51.100.6"), "drift")],
  ],
  {
    conflicts: [foreign()],
    owned: 416,
    unchanged: 412,
    lost: 1,
    obstacles: ["quorum is lost, so what is healthy is not known"],
    fidelity: [
      {
        topic: "address-order",
        message:
          "Our own answers list addresses in an order made for the client, further clusters' as " +
          "fall-back; the mirror gives those of the place or cluster that the cloud chose, and no " +
          "others.",
        services: 40,
        examples: ["shop/cart", "shop/checkout", "web/media"],
      },
      {
        topic: "ttl",
        message:
          "Our own TTL gets shorter as a verdict comes near; the mirror has ttl.max, and ttl.min " +
          "while all endpoints are down.",
        services: 1,
        examples: ["shop/checkout"],
      },
    ],
  },
);

/** A part that the nearest clients get. */
export function geoproximity(id: string, latitude: string, longitude: string): Routing {
  return { kind: "geoproximity", id, latitude, longitude };
}
