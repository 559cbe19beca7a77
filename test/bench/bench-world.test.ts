// The generated world: addresses that differ, networks that do not overlap, and scopes that are
// true against a look at every /24.

import { expect } from "chai";
import {
  addressText,
  type ClientNetwork,
  clientNetworks,
  clientSubnets,
  homeOf,
  hostAddress,
  hostName,
  isClientOctet,
  isTrueScope,
} from "../../scripts/bench/bench-world.ts";

describe("bench world", () => {
  it("no two of a host's nine addresses, or of its neighbours', are equal", () => {
    const hosts = [0, 1, 999, 1_000_000, 2 ** 20 - 1];
    const all = hosts.flatMap((host) =>
      Array.from({ length: 9 }, (_, index) => hostAddress(host, index)),
    );
    expect(new Set(all).size).to.equal(all.length);
    expect(all.every((address) => address.startsWith("10."))).to.equal(true);
  });

  it("all names are of one length", () => {
    expect(new Set([0, 999, 1_048_575].map((host) => hostName(host).length)).size).to.equal(1);
  });

  it("20,000 networks are in order, aligned, apart from each other, and the same each time", () => {
    const networks = clientNetworks(20_000);
    expect(networks).to.have.lengthOf(20_000);
    expect(networks).to.deep.equal(clientNetworks(20_000));
    let end = 0;
    for (const { address, prefixLength } of networks) {
      const size = 2 ** (32 - prefixLength);
      expect(address % size, addressText(address)).to.equal(0);
      expect(address, addressText(address)).to.be.at.least(end);
      expect(isClientOctet(address >>> 24)).to.equal(true);
      end = address + size;
    }
  });

  it("half of the clients' /24s at least lie in a network, and all are /24s", () => {
    const networks = clientNetworks(200);
    const subnets = [...clientSubnets(networks, 2000)];
    const inside = subnets.filter((subnet) =>
      networks.some(
        ({ address, prefixLength }) =>
          subnet >= address && subnet < address + 2 ** (32 - prefixLength),
      ),
    );
    expect(inside.length).to.be.at.least(1000);
    expect(subnets.every((subnet) => subnet % 256 === 0)).to.equal(true);
  });

  it("a scope is true exactly if every /24 in it has the client's home", () => {
    const networks: ClientNetwork[] = [
      { address: 0x0b000000, prefixLength: 22, home: 1 },
      { address: 0x0b000400, prefixLength: 23, home: 1 },
      { address: 0x0b000600, prefixLength: 23, home: 1 },
      { address: 0x0b001000, prefixLength: 24, home: 2 },
      { address: 0x0b002000, prefixLength: 20, home: 0 },
    ];
    for (let block = 0; block < 64; block++) {
      const client = 0x0b000000 + block * 256;
      for (let scope = 16; scope <= 24; scope++) {
        const size = 2 ** (32 - scope);
        const first = Math.floor(client / size) * size;
        const homes = Array.from({ length: size / 256 }, (_, at) =>
          homeOf(networks, first + at * 256),
        );
        const expected = homes.every((home) => home === homeOf(networks, client));
        const name = `${addressText(client)}/${scope}`;
        expect(isTrueScope(networks, client, scope), name).to.equal(expected);
      }
    }
  });
});
