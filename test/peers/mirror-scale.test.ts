// What `meridian mirror` asks of a cloud for a thousand services: changes as full as the limits let
// them be, no faster than the service takes them, and for one endpoint one change of its own names.
// How long ten thousand take is measured, not tested: `npm run bench:mirror`.

import { expect } from "chai";
import { type MirrorFigures, measureMirror } from "../../scripts/bench/mirror-run.ts";
import { standKinds } from "../kit/mirror-stands.ts";

const services = 1000;

for (const kind of standKinds) {
  describe(`a thousand services in three clusters, mirrored to ${kind.provider}`, function () {
    this.timeout(300_000);
    let figures: MirrorFigures;

    before(async () => {
      const requestsPerSecond = kind.provider === "route53" ? 5 : undefined;
      figures = await measureMirror({ kind, services, requestsPerSecond });
    });

    it("have eight record sets each, made by one apply", () => {
      expect(figures.recordSets).to.equal(8 * services);
      expect(figures.firstPlan).to.include({ status: 2, changes: 0 });
      expect(figures.firstApply.status).to.equal(0);
      expect(figures.secondPlan).to.include({ status: 0, changes: 0 });
    });

    it("fill each change but the last to 95 % of its limits", () => {
      expect(figures.firstApply.changes).to.be.above(5);
      expect(figures.leastFullness).to.be.at.least(0.95);
    });

    it("are changed no faster than the service takes it", () => {
      expect(figures.throttled).to.equal(0);
      if (kind.provider === "route53") expect(figures.mostInASecond).to.be.at.most(5);
    });

    it("need one change of four names when one endpoint goes down", () => {
      expect(figures.afterOneDown).to.include({ status: 0, changes: 1 });
      const name = "service-00500.team-0.my-federation";
      expect(figures.namesOfOneDown).to.deep.equal([
        `${name}.my-domain.com.`,
        `${name}.svc.my-domain.com.`,
        `${name}.svc.us.my-domain.com.`,
        `${name}.svc.us1.us.my-domain.com.`,
      ]);
    });
  });
}
