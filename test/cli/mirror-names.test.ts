// The names of mirrors in metrics: one for each, also where two owners keep one zone.

import { expect } from "chai";
import { meterOf, mirrorNames } from "../../src/cli/mirror-names.ts";
import { createMirrorMetrics } from "../../src/control/mirror-metrics.ts";
import { settings } from "../mirror/mirror-loop-world.ts";

describe("the names of mirrors in metrics", () => {
  it("are the zones, with the owner where several mirrors keep one", () => {
    const mirrors = [
      { ...settings, hostedZone: "Z1" },
      { ...settings, hostedZone: "Z2", owner: "shop" },
      { ...settings, hostedZone: "Z1", owner: "shop" },
    ];
    expect(mirrorNames(mirrors, "fed")).to.deep.equal([
      "route53 Z1 (owner fed)",
      "route53 Z2",
      "route53 Z1 (owner shop)",
    ]);
  });

  it("part what two mirrors of one zone count", async () => {
    const names = ["route53 Z1 (owner fed)", "route53 Z1 (owner shop)"];
    const metrics = createMirrorMetrics(() => names);
    names.forEach((name, at) => {
      const meter = meterOf(metrics.meter, name);
      meter.records("route53 Z1", at + 1);
      meter.conflicts("route53 Z1", at + 3);
      meter.succeeded("route53 Z1", at + 5);
      meter.called("route53 Z1", "GetHostedZone");
    });
    const text = (await metrics.text()) ?? "";
    for (const [at, name] of names.entries()) {
      const mirror = `{mirror="${name}"}`;
      expect(text).to.include(`meridian_mirror_records${mirror} ${at + 1}`);
      expect(text).to.include(`meridian_mirror_conflicts${mirror} ${at + 3}`);
      expect(text).to.include(`meridian_mirror_last_success_timestamp_seconds${mirror} ${at + 5}`);
    }
    expect(text).not.to.include('mirror="route53 Z1"');
  });
});
