// The example federation in zones/ through the real server: what clients inside the three clusters
// and in cities of the world are answered, and that no outsider gets a clusterIP.

import path from "node:path";
import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import type { Message } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { type QueryOptions, query } from "../kit/dns-client.ts";
import { type RunningServer, startServer } from "../kit/server.ts";

const zones = path.resolve(import.meta.dirname, "../../zones");
const service = "my-service.my-namespace.my-federation";
const domain = "my-domain.com.";
const names = [`${service}.${domain}`, `${service}.svc.${domain}`];
const ports = { client: 2379, peer: 2380 };

const clusterIps = { 1: "10.0.153.185", 2: "10.4.91.17", 3: "10.8.210.44" };
const external = { 1: "104.197.117.10", 2: "104.197.74.77", 3: "104.197.38.157" };
type Cluster = keyof typeof external;

/** Who asks, and the clusters in order; two that are about equally far stand together. */
const clients: { name: string; asking: QueryOptions; inside?: Cluster; order: Cluster[][] }[] = [
  {
    name: "inside cluster-1",
    asking: { localAddress: "127.0.1.1" },
    inside: 1,
    order: [[1], [2], [3]],
  },
  {
    name: "inside cluster-2",
    asking: { localAddress: "127.0.2.1" },
    inside: 2,
    order: [[2], [1], [3]],
  },
  {
    name: "inside cluster-3",
    asking: { localAddress: "127.0.3.1" },
    inside: 3,
    order: [[3], [1, 2]],
  },
  { name: "in London", asking: { subnet: "81.2.69.0/24" }, order: [[2], [1], [3]] },
  { name: "in New York", asking: { subnet: "128.59.0.0/16" }, order: [[1], [2], [3]] },
  { name: "in Tokyo", asking: { subnet: "133.11.0.0/16" }, order: [[3], [2], [1]] },
  { name: "in São Paulo", asking: { subnet: "143.107.0.0/16" }, order: [[1], [2], [3]] },
  { name: "in Sydney", asking: { subnet: "129.78.0.0/16" }, order: [[3], [1], [2]] },
  { name: "in Johannesburg", asking: { subnet: "146.141.0.0/16" }, order: [[2], [3], [1]] },
];

const allExternal = new Set(Object.values(external));

/** Prefixes inside every network of every cluster, in every form that holds an IPv4 address. */
const claims = ([1, 2, 3] as const).flatMap((cluster) => {
  const octet = 4 * (cluster - 1);
  const hex = octet.toString(16).padStart(2, "0");
  const subnets = [
    `10.${octet}.0.0/14`,
    `10.${octet + 1}.0.0/16`,
    `10.${octet}.153.0/24`,
    `10.${octet + 3}.255.255/32`,
    `127.0.${cluster}.0/24`,
    `127.0.${cluster}.1/32`,
    `::ffff:10.${octet}.1.1/128`,
    `64:ff9b::10.${octet}.1.0/120`,
    `2002:a${hex}:100::/40`,
    `2001:0:1:2:3:4:${(0xffff - 0x0a00 - octet).toString(16)}:0/112`,
  ];
  return subnets.map((subnet) => ({ cluster, subnet }));
});

/** Prefixes that hold more than a cluster's network, or nothing of any. */
const strangers = [
  "10.0.0.0/8",
  "10.0.0.0/13",
  "8.0.0.0/7",
  "10.12.0.0/14",
  "127.0.0.0/16",
  "81.2.69.0/24",
  "2001:db8::/32",
  "::ffff:0.0.0.0/96",
];

describe("the example federation", () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer({
      files: zones,
      serverSpec: { trustedResolvers: ["127.0.9.0/24", "127.0.1.9/32"] },
    });
  });
  after(() => server?.stop());

  for (const { name, asking, inside, order } of clients) {
    const addressOf = (cluster: Cluster): string =>
      (cluster === inside ? clusterIps : external)[cluster];

    for (const transport of ["udp", "tcp"] as const) {
      it(`answers a client ${name} in its order over ${transport}`, async () => {
        for (const owner of names) {
          const answer = await query(server, owner, "A", { ...asking, transport });
          expectLevels(
            addressesOf(answer),
            order.map((level) => level.map(addressOf)),
          );
          expect(answer.answers.map((record) => record.ttlSeconds)).to.deep.equal([180, 180, 180]);
          expect(new Set(answer.answers.map((record) => record.type))).to.have.keys(RRType.A);
          expect(answer.isAuthoritative).to.equal(true);
        }
      });
    }

    it(`answers SRV to a client ${name} by priority, its addresses beside it`, async () => {
      for (const owner of names) {
        for (const [port, number] of Object.entries(ports)) {
          const answer = await query(server, `_${port}._tcp.${owner}`, "SRV", asking);
          const expected = order.flatMap((level, priority) =>
            level.map((cluster) => `${priority} ${number} cluster-${cluster}.${service}.${domain}`),
          );
          expect(answer.answers.map(srvText)).to.have.members(expected);
          expect(answer.answers.map((record) => record.ttlSeconds)).to.deep.equal([180, 180, 180]);
          const additionals = answer.additionals.map(
            (record) =>
              `${formatName(record.name)} ${record.ttlSeconds} ${formatAddress(record.rdata)}`,
          );
          expect(additionals).to.have.members(
            order
              .flat()
              .map(
                (cluster) => `cluster-${cluster}.${service}.${domain} 180 ${addressOf(cluster)}`,
              ),
          );
        }
      }
    });
  }

  it("has no AAAA records of the service", async () => {
    const { answers, authorities, rcode } = await query(server, names[0] ?? "", "AAAA");
    expect([rcode, answers.length, authorities[0]?.type]).to.deep.equal([0, 0, RRType.SOA]);
  });

  describe("gives no clusterIP", () => {
    for (const { name, sources, subnets } of outsiders()) {
      it(`to ${name}`, async () => {
        for (const localAddress of sources) {
          for (const subnet of subnets) {
            const found = await everything(server, { localAddress, subnet });
            const internal = [...found].filter((address) => !allExternal.has(address));
            expect(internal, `from ${localAddress} for ${subnet}`).to.deep.equal([]);
            expect(found).to.deep.equal(allExternal);
          }
        }
      });
    }

    it("of another cluster to a client inside one, whatever it claims", async () => {
      for (const { subnet } of claims) {
        const found = await everything(server, { localAddress: "127.0.1.1", subnet });
        const others = [clusterIps[2], clusterIps[3]].filter((address) => found.has(address));
        expect(others, subnet).to.deep.equal([]);
      }
    });
  });

  it("gives a trusted resolver the clusterIP of the cluster that its client is inside of", async () => {
    for (const { cluster, subnet } of claims) {
      const answer = await query(server, names[0] ?? "", "A", {
        localAddress: "127.0.9.1",
        subnet,
      });
      expect(addressesOf(answer)[0], subnet).to.equal(clusterIps[cluster]);
    }
  });
});

/** Where outsiders ask from, and what they claim. Without ECS: `undefined`. */
function outsiders() {
  const untrusted = ["127.0.0.1", "127.0.4.1", "127.255.255.254"];
  return [
    {
      name: "outsiders who claim nothing",
      sources: untrusted,
      subnets: [undefined, "0.0.0.0/0", "::/0"],
    },
    {
      name: "outsiders who claim to be inside",
      sources: untrusted,
      subnets: claims.map((claim) => claim.subnet),
    },
    { name: "outsiders who claim to be elsewhere", sources: untrusted, subnets: strangers },
    { name: "a trusted resolver's clients outside", sources: ["127.0.9.1"], subnets: strangers },
    {
      name: "clients outside of a resolver inside a cluster",
      sources: ["127.0.1.1", "127.0.1.9", "127.0.2.1"],
      subnets: strangers,
    },
  ];
}

/** All addresses that anybody can be given by any name and type, in any section. */
async function everything(
  server: RunningServer,
  { localAddress, subnet }: { localAddress: string; subnet: string | undefined },
): Promise<Set<string>> {
  const asking = subnet === undefined ? { localAddress } : { localAddress, subnet };
  const found = new Set<string>();
  const questions = [
    ...names.map((name) => [name, "A"] as const),
    [names[0] ?? "", "ANY"] as const,
    ...[1, 2, 3].map((cluster) => [`cluster-${cluster}.${names[0]}`, "A"] as const),
    [`_client._tcp.${names[0]}`, "SRV"] as const,
    [`${service}.svc.us-central1.${domain}`, "A"] as const,
    [`${service}.svc.europe-west1-b.europe-west1.${domain}`, "A"] as const,
  ];
  for (const [name, type] of questions) {
    const answer = await query(server, name, type, asking);
    expect(answer.answers, `${name} ${type}`).not.to.have.length(0);
    for (const record of [...answer.answers, ...answer.authorities, ...answer.additionals]) {
      if (record.type === RRType.A) found.add(formatAddress(record.rdata));
    }
  }
  return found;
}

function addressesOf({ answers }: Message): string[] {
  return answers.map((record) => formatAddress(record.rdata));
}

/** Each level's addresses in their place, those of one level in any order. */
function expectLevels(found: readonly string[], levels: readonly (readonly string[])[]): void {
  let at = 0;
  for (const level of levels) {
    expect(found.slice(at, at + level.length)).to.have.members([...level]);
    at += level.length;
  }
  expect(found).to.have.length(at);
}

/** `PRIORITY PORT TARGET`: the weights of clusters that stand alone are no matter. */
function srvText({ type, rdata }: Message["answers"][number]): string {
  const [priority, , port, target] = formatRdata(type, rdata).split(" ");
  return `${priority} ${port} ${target}`;
}
