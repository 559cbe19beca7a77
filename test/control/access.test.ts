// Who may ask what of the control server, decided without any socket.

import { expect } from "chai";
import { accessRefusal } from "../../src/control/access.ts";

type Row = readonly [source: string, host: string | undefined, method: string, expected: string];

const passes = "passes";
const rows: readonly Row[] = [
  ["127.0.0.1", "127.0.0.1:8053", "GET", passes],
  ["127.9.8.7", "127.9.8.7", "HEAD", passes],
  ["::1", "[::1]:8053", "GET", passes],
  ["::1", "[::1]", "GET", passes],
  ["::ffff:127.0.0.1", "localhost:8053", "GET", passes],
  ["127.0.0.1", "LocalHost", "GET", passes],
  // A health checker that speaks HTTP/1.0.
  ["127.0.0.1", undefined, "GET", passes],
  // DNS rebinding.
  ["127.0.0.1", "evil.example:8053", "GET", "403 forbidden"],
  ["127.0.0.1", "localhost.evil.example", "GET", "403 forbidden"],
  ["127.0.0.1", "127.0.0.1.evil.example", "GET", "403 forbidden"],
  ["127.0.0.1", "127.1", "GET", "403 forbidden"],
  ["127.0.0.1", "", "GET", "403 forbidden"],
  ["127.0.0.1", "localhost:1:2", "GET", "403 forbidden"],
  ["127.0.0.1", "[127.0.0.1]", "GET", "403 forbidden"],
  ["127.0.0.1", "[::1", "GET", "403 forbidden"],
  ["::1", "evil.example", "POST", "403 forbidden"],
  // Others than this machine.
  ["192.0.2.1", "192.0.2.53", "GET", "403 forbidden"],
  ["128.0.0.1", "127.0.0.1", "GET", "403 forbidden"],
  ["::2", "[::1]", "GET", "403 forbidden"],
  ["::ffff:192.0.2.1", "localhost", "GET", "403 forbidden"],
  ["::7f00:1", "localhost", "GET", "403 forbidden"],
  ["", "localhost", "GET", "403 forbidden"],
  // Changes.
  ["127.0.0.1", "localhost", "POST", "401 no-tokens"],
  ["127.0.0.1", "localhost", "DELETE", "401 no-tokens"],
  ["127.0.0.1", "localhost", "OPTIONS", "401 no-tokens"],
  ["192.0.2.1", "192.0.2.53", "POST", "401 no-tokens"],
];

describe("access to the control server", () => {
  for (const [source, host, method, expected] of rows) {
    it(`over the network ${method} from "${source}" for host ${host}: ${expected}`, () => {
      const refusal = accessRefusal({ door: "network", source, host, method });
      expect(refusal ? `${refusal.status} ${refusal.error}` : passes).to.equal(expected);
    });
  }

  it("by the socket is free, whatever the request says", () => {
    for (const [, host, method] of rows) {
      expect(accessRefusal({ door: "socket", source: "", host, method })).to.equal(undefined);
    }
  });
});
