// Regional names where the endpoints of one address family are all down and those of the other are
// not: what is down is not given while the same family is healthy elsewhere.

import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import { resolve } from "../../src/answer/resolve.ts";
import { servedState } from "../../src/answer/served-state.ts";
import { viewOf } from "../../src/answer/view.ts";
import { DnsClass } from "../../src/dns/codes.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType, typeCode } from "../../src/dns/record-types.ts";
import type { OnAllDown } from "../../src/federation/model.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { filesOf } from "../kit/federation.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

const global = "CNAME web.a.my-federation.svc.my-domain.com.";
const cases: readonly {
  readonly name: string;
  readonly down: readonly (readonly [cluster: string, address: string])[];
  readonly type: string;
  readonly expected: readonly string[];
  readonly onAllDown?: OnAllDown;
}[] = [
  {
    name: "A leads on where all IPv4 addresses of the region are down",
    down: [["one", "198.18.0.1"]],
    type: "A",
    expected: [global, "A 198.18.0.2"],
  },
  ...(["empty", "servfail"] as const).map((onAllDown) => ({
    name: `A leads on in the same way with onAllDown: ${onAllDown}`,
    down: [["one", "198.18.0.1"]] as const,
    type: "A",
    expected: [global, "A 198.18.0.2"],
    onAllDown,
  })),
  {
    name: "AAAA stays in the region then",
    down: [["one", "198.18.0.1"]],
    type: "AAAA",
    expected: ["AAAA 2001:db8::1"],
  },
  {
    name: "A that leads on fails open at the end, where IPv4 is down everywhere",
    down: [
      ["one", "198.18.0.1"],
      ["two", "198.18.0.2"],
    ],
    type: "A",
    expected: [global, "A 198.18.0.1", "A 198.18.0.2"],
  },
  {
    name: "other types have no data, whatever is down",
    down: [["two", "198.18.0.2"]],
    type: "TXT",
    expected: [],
  },
];

describe("regional names with one family down", () => {
  for (const { name, down, type, expected, onAllDown = "open" } of cases) {
    it(name, () => {
      const { snapshot, services } = compileWorld({
        files: filesOf({
          clusters: { one: { region: "r1", at: [0, 0] }, two: { region: "r2", at: [0, 40] } },
          services: {
            "a/web": {
              onAllDown,
              healthCheck: {},
              in: {
                one: { external: ["198.18.0.1", "2001:db8::1"] },
                two: { external: ["198.18.0.2", "2001:db8::2"] },
              },
            },
          },
        }),
      });
      for (const [cluster, each] of down) {
        services.setVerdict("a/web", cluster, address(each), { health: 0, checksToFlip: 2 });
      }
      const asker = askerOf(address("192.0.2.1"), undefined, [], snapshot.views);
      const question = {
        name: wireNameOf("web.a.my-federation.svc.r1.my-domain.com"),
        type: typeCode(type) ?? 0,
        class: DnsClass.IN,
      };
      const state = servedState(snapshot, [], () => 0);
      const { answers } = resolve(question, asker, viewOf(snapshot.views, asker), state);
      const told = answers.map(
        (each) => `${recordType(each.type).mnemonic} ${formatRdata(each.type, each.rdata)}`,
      );
      expect(told[0]).to.equal(expected[0]);
      expect(told.slice(1)).to.have.members(expected.slice(1));
    });
  }
});
