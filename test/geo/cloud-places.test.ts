// The nearest region of a cloud, and whether the vendors' services know all that it may give.

import { ResourceRecordSetRegion } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import { nearestCloudRegion } from "../../src/geo/cloud-places.ts";
import { cloudRegion, cloudRegionNames } from "../../src/geo/cloud-regions.ts";

describe("the nearest region of a cloud", () => {
  const rows: readonly [
    cloud: "aws" | "gcp",
    region: string,
    at: [number, number],
    nearest: string,
  ][] = [
    ["aws", "eu-west-2", [51.51, -0.13], "eu-west-2"],
    ["aws", "EU-West-2", [0, 0], "eu-west-2"],
    ["aws", "europe-west2", [51.51, -0.13], "eu-west-2"],
    ["gcp", "europe-west2", [0, 0], "europe-west2"],
    ["gcp", "eu-west-2", [51.51, -0.13], "europe-west2"],
    ["aws", "", [-36.8, 174.7], "ap-southeast-6"],
    ["aws", "my-rack", [-17.7, 178], "ap-southeast-6"],
    ["gcp", "my-rack", [-17.7, 178], "australia-southeast1"],
    // Across the antimeridian.
    ["aws", "", [-17, -179], "ap-southeast-6"],
    ["gcp", "", [21.3, -157.8], "us-west2"],
    // Governments and China have accounts of their own.
    ["aws", "us-gov-west-1", [45.84, -119.7], "us-west-2"],
    ["aws", "cn-north-1", [39.9, 116.41], "ap-northeast-2"],
    ["aws", "eusc-de-east-1", [52.4, 13.06], "eu-central-1"],
    // Azure's regions are of neither.
    ["aws", "westeurope", [52.37, 4.9], "eu-west-2"],
    ["gcp", "westeurope", [52.37, 4.9], "europe-west4"],
  ];
  for (const [cloud, region, [latitude, longitude], nearest] of rows) {
    it(`of ${cloud} to ${region || "nowhere"} at ${latitude}, ${longitude} is ${nearest}`, () => {
      expect(nearestCloudRegion(cloud, region, { latitude, longitude })).to.equal(nearest);
    });
  }

  it("of AWS is one that Route 53 takes, wherever the cluster is", () => {
    const taken = new Set<string>(Object.values(ResourceRecordSetRegion));
    const given = reachable("aws");
    expect(given.size).to.be.above(25);
    expect([...given].filter((each) => !taken.has(each))).to.deep.equal([]);
  });

  it("of Google Cloud is named as its regions are", () => {
    const given = [...reachable("gcp")];
    expect(given.length).to.be.above(30);
    expect(
      given.filter(
        (each) =>
          !/^(africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+\d+$/.test(each),
      ),
    ).to.deep.equal([]);
  });
});

/** All that may be given: asked for by name, and from where each known region is. */
function reachable(cloud: "aws" | "gcp"): Set<string> {
  return new Set(
    cloudRegionNames().flatMap((name) => {
      const at = cloudRegion(name);
      return at ? [nearestCloudRegion(cloud, name, at), nearestCloudRegion(cloud, "", at)] : [];
    }),
  );
}
