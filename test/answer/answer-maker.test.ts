// Ready answers that are taken for one another only where they are the same: clients of both
// families whose prefixes begin alike, and clusters with more addresses than most.

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import { FastPath } from "../../src/answer/fast-path.ts";
import { messageMemory } from "../../src/answer/fast-query.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { Turns } from "../../src/answer/turns.ts";
import { WireCache } from "../../src/answer/wire-cache.ts";
import { DnsClass } from "../../src/dns/codes.ts";
import { encodeMessage } from "../../src/dns/message.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { emptyQuery } from "../kit/dns-client.ts";
import { ecsOf, wireNameOf } from "../kit/generated-queries.ts";

describe("ready answers", () => {
  const families = [
    { name: "a port's name", question: { label: "_http._tcp.s.n.fed", type: RRType.SRV } },
    { name: "a regional name", question: { label: "s.n.fed.svc.r1", type: RRType.A } },
  ];
  for (const { name, question } of families) {
    it(`are not those of an IPv4 prefix for an IPv6 prefix with the same octets: ${name}`, () => {
      for (let octet = 1; octet < 20; octet++) {
        const both = new BothWays(6, 1);
        both.compare(question, ecsOf(address(`36.${octet}.203.0`), 24), 0);
        const alike = `24${octet.toString(16).padStart(2, "0")}:cb00::`;
        both.compare(question, ecsOf(address(alike), 32), 0);
      }
    });
  }

  it("let every address of a cluster have its turn, however many there are", () => {
    const both = new BothWays(1, 100);
    for (let turn = 0; turn < 300; turn++) {
      both.compare({ label: "c1.s.n.fed", type: RRType.A }, undefined, turn);
    }
  });
});

class BothWays {
  readonly #state: AnswerState;
  readonly #fast: FastPath;
  readonly #query = messageMemory(new Uint8Array(4096));
  readonly #out = messageMemory(new Uint8Array(4096));
  #turn = 0;

  constructor(clusters: number, addresses: number) {
    const { snapshot } = compileWorld({ files: world(clusters, addresses) });
    this.#state = { ...healthyState(snapshot), rotation: () => this.#turn };
    const turns = new Turns(() => 0);
    turns.next = () => this.#turn;
    this.#fast = new FastPath(this.#state, turns, new WireCache(1 << 20));
  }

  compare(
    { label, type }: { label: string; type: number },
    ecs: ReturnType<typeof ecsOf> | undefined,
    turn: number,
  ): void {
    this.#turn = turn;
    const source = address("198.51.100.1");
    const name = wireNameOf(`${label}.example.org`);
    const options = ecs ? [ecs] : [];
    const octets = encodeMessage({
      ...emptyQuery(),
      questions: [{ name, type, class: DnsClass.IN }],
      edns: { udpSize: 1232, version: 0, dnssecOk: false, flags: 0, options },
    });
    this.#query.octets.set(octets);
    const client = { source, sourceAt: 0, family: 4, transport: "udp" } as const;
    const query = { memory: this.#query, at: 0, length: octets.length };
    const length = this.#fast.respond({ ...query, ...client }, this.#out, 0, 1);
    const received = { octets, source, sourcePort: 4242, transport: "udp" } as const;
    const plain = answer(received, this.#state, 1);
    const fast = this.#out.octets.subarray(0, Math.max(0, length));
    expect(Buffer.from(fast).toString("hex"), `${label}, turn ${turn}`).to.equal(
      Buffer.from(plain ?? []).toString("hex"),
    );
  }
}

/** One service in so many clusters, with so many external addresses in each. */
function world(clusters: number, addresses: number): Record<string, string> {
  const meridian = "meridian.dev/v1alpha1";
  const files: Record<string, string> = {
    "zones/federation.yaml": JSON.stringify({
      apiVersion: meridian,
      kind: "Federation",
      metadata: { name: "fed" },
      spec: {
        domain: "example.org",
        nameservers: [{ name: "ns1.example.org", addresses: ["192.0.2.53"] }],
        contact: "hostmaster@example.org",
      },
    }),
  };
  for (let each = 1; each <= clusters; each++) {
    const ingress = Array.from({ length: addresses }, (_, at) => ({
      ip: `203.0.${each}.${at + 1}`,
    }));
    files[`zones/clusters/c${each}/cluster.yaml`] = JSON.stringify({
      apiVersion: meridian,
      kind: "Cluster",
      metadata: { name: `c${each}` },
      spec: { region: "r1", location: { latitude: 1, longitude: 1 } },
    });
    files[`zones/clusters/c${each}/s.yaml`] = JSON.stringify({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s", namespace: "n" },
      spec: {
        type: "LoadBalancer",
        clusterIP: `10.${each}.0.1`,
        ports: [{ name: "http", port: 80, protocol: "TCP" }],
      },
      status: { loadBalancer: { ingress } },
    });
  }
  return files;
}
