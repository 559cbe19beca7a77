import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { type FoundAddress, Hostnames } from "../../src/sources/hostnames.ts";

/** Hostnames with scripted answers and timers that the test lets run out. */
function scripted(answers: Record<string, (FoundAddress[] | Error)[]>) {
  const asked: string[] = [];
  const timers: { callback: () => void; delayMs: number }[] = [];
  const changes: string[] = [];
  const failures: string[] = [];
  const hostnames = new Hostnames({
    lookUp: async (hostname) => {
      asked.push(hostname);
      const answer = answers[hostname]?.shift() ?? new Error("no more answers");
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onChange: () => changes.push("changed"),
    onFailure: (hostname, reason) => failures.push(`${hostname}: ${reason}`),
    schedule: (callback, delayMs) => {
      const timer = { callback, delayMs };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
  });
  /** Lets the only timer run out; gives its time. */
  const elapse = async (): Promise<number | undefined> => {
    expect(timers).to.have.length(1);
    const timer = timers.pop();
    timer?.callback();
    await new Promise((resolve) => setImmediate(resolve));
    return timer?.delayMs;
  };
  const shown = (hostname: string): string => {
    const { addresses, state } = hostnames.resolve(hostname);
    return [state, ...addresses.map(formatAddress)].join(" ");
  };
  return { hostnames, asked, timers, changes, failures, elapse, shown };
}

const found = (address: string, ttl = 60): FoundAddress => ({ address, ttl });

describe("Hostnames", () => {
  it("are unresolved until they are tracked, then have sorted addresses", async () => {
    const { hostnames, shown, changes } = scripted({
      a: [[found("2001:db8::1"), found("192.0.2.2"), found("192.0.2.1")]],
    });
    expect(shown("a")).to.equal("unresolved");
    await hostnames.track(["a"]);
    expect(shown("a")).to.equal("resolved 192.0.2.1 192.0.2.2 2001:db8::1");
    expect(changes).to.have.length(1);
  });

  it("tell a failure with its reason once, and again after they could be resolved", async () => {
    const answers = [[], [], [found("192.0.2.1")], new Error("SERVFAIL")];
    const { hostnames, elapse, failures } = scripted({ a: answers });
    await hostnames.track(["a"]);
    await elapse();
    expect(failures).to.deep.equal(["a: it has no address"]);
    await elapse();
    await elapse();
    expect(failures).to.deep.equal(["a: it has no address", "a: SERVFAIL"]);
  });

  const times: { name: string; ttls: number[]; expected: number }[] = [
    { name: "when the least TTL has run out", ttls: [90, 60], expected: 60_000 },
    { name: "after 5 s at the soonest", ttls: [0], expected: 5_000 },
    { name: "after 300 s at the latest", ttls: [86_400], expected: 300_000 },
  ];
  for (const { name, ttls, expected } of times) {
    it(`are asked for again ${name}`, async () => {
      const answer = ttls.map((ttl, index) => found(`192.0.2.${index}`, ttl));
      const { hostnames, elapse, asked } = scripted({ a: [answer, answer] });
      await hostnames.track(["a"]);
      expect(await elapse()).to.equal(expected);
      expect(asked).to.deep.equal(["a", "a"]);
    });
  }

  it("keep the last good addresses and are stale while resolving fails", async () => {
    const { hostnames, elapse, shown, changes } = scripted({
      a: [[found("192.0.2.1")], new Error("SERVFAIL"), [], [found("192.0.2.2")]],
    });
    await hostnames.track(["a"]);
    await elapse();
    expect(shown("a")).to.equal("stale 192.0.2.1");
    expect(await elapse()).to.equal(5_000);
    expect(shown("a")).to.equal("stale 192.0.2.1");
    expect(await elapse()).to.equal(10_000);
    expect(shown("a")).to.equal("resolved 192.0.2.2");
    expect(changes).to.have.length(3);
  });

  it("are tried again ever more seldom, but each minute at least", async () => {
    const { hostnames, elapse, shown } = scripted({});
    await hostnames.track(["a"]);
    expect(shown("a")).to.equal("unresolved");
    const waits: (number | undefined)[] = [];
    for (let times = 0; times < 6; times++) waits.push(await elapse());
    expect(waits).to.deep.equal([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  it("give the very same object, and tell nothing, while nothing changed", async () => {
    const { hostnames, elapse, changes } = scripted({
      a: [
        [found("192.0.2.1"), found("192.0.2.2")],
        [found("192.0.2.2", 7), found("192.0.2.1", 9)],
      ],
    });
    await hostnames.track(["a"]);
    const before = hostnames.resolve("a");
    await elapse();
    expect(hostnames.resolve("a")).to.equal(before);
    expect(changes).to.have.length(1);
  });

  it("are resolved only while they are wanted", async () => {
    const { hostnames, timers, shown, asked } = scripted({
      a: [[found("192.0.2.1")]],
      b: [[found("192.0.2.2")]],
    });
    await hostnames.track(["a"]);
    await hostnames.track(["b", "b"]);
    expect([shown("a"), shown("b")]).to.deep.equal(["unresolved", "resolved 192.0.2.2"]);
    expect(asked).to.deep.equal(["a", "b"]);
    expect(timers).to.have.length(1);
    hostnames.stop();
    expect(timers).to.have.length(0);
  });

  it("do not take an answer that comes when they are wanted no more", async () => {
    const { hostnames, timers, changes } = scripted({ a: [[found("192.0.2.1")]] });
    const tracking = hostnames.track(["a"]);
    hostnames.stop();
    await tracking;
    expect(timers).to.have.length(0);
    expect(changes).to.have.length(0);
  });
});
