// Alerts and the dashboard name metrics that the server has, and each alert says whom it wakes, why,
// and what to do. Whether alerts fire as they should is for promtool.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import {
  metricNames,
  metricsOfSource,
  prometheusFolder,
  readDashboard,
  readRules,
} from "./monitoring.ts";

/** A variable of Grafana. */
const chosenSource = ["$", "{datasource}"].join("");
const known = metricsOfSource();
const rules = readRules();
const recorded = new Set(rules.flatMap(({ record }) => (record === undefined ? [] : [record])));

describe("the rules for Prometheus", () => {
  for (const { alert, record, expr } of rules) {
    it(`${alert ?? record} names metrics that the server has`, () => {
      for (const name of metricNames(expr)) expect(known.has(name), name).to.equal(true);
      for (const [name] of expr.matchAll(/\binstance[a-z_]*:[a-z_]+:[a-z0-9_]+/g)) {
        expect(recorded.has(name), name).to.equal(true);
      }
    });
  }

  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const runbook = readFileSync(path.join(prometheusFolder, "runbook.md"), "utf8");
  const { tests } = parse(
    readFileSync(path.join(prometheusFolder, "meridian.rules.test.yaml"), "utf8"),
  );

  for (const { alert = "", labels, annotations } of alerts) {
    it(`${alert} says how urgent it is, what is wrong and what to do, and has a case`, () => {
      expect(labels?.["severity"]).to.be.oneOf(["critical", "warning"]);
      expect(annotations).to.have.all.keys("summary", "description", "runbook");
      const link = `deploy/prometheus/runbook.md#${alert.toLowerCase()}`;
      expect(annotations?.["runbook"]).to.equal(link);
      expect(runbook).to.match(new RegExp(`^## ${alert}$`, "m"));
      const cases = tests.filter(({ name }: { name: string }) => name.startsWith(`${alert}: `));
      expect(cases).to.have.lengthOf(1);
      const fired = JSON.stringify(cases[0].promql_expr_test.at(-1));
      expect(fired).to.include(`alertname=\\"${alert}\\"`);
      const before = JSON.stringify(cases[0].promql_expr_test.at(0));
      expect(before).to.not.include(`alertname=\\"${alert}\\"`);
    });
  }

  it("have no page of what to do for an alert that is gone", () => {
    const sections = [...runbook.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    expect(sections).to.have.members(alerts.map(({ alert }) => alert));
  });
});

describe("the dashboard for Grafana", () => {
  const { panels, templating } = readDashboard();
  const drawn = panels.filter(({ type }) => type !== "row");

  for (const panel of drawn) {
    it(`draws "${panel.title}" in a unit, from metrics that the server has`, () => {
      expect(panel.fieldConfig?.defaults.unit).to.be.a("string").and.not.equal("");
      expect(panel.description).to.match(/\.$/);
      expect(panel.datasource?.uid).to.equal(chosenSource);
      expect(panel.targets).to.not.deep.equal([]);
      for (const { expr, datasource } of panel.targets ?? []) {
        expect(datasource.uid).to.equal(chosenSource);
        expect(expr).to.include('job="$job", instance=~"$instance"');
        for (const name of metricNames(expr)) expect(known.has(name), name).to.equal(true);
      }
    });
  }

  it("lets its user choose the data source, the job and the servers", () => {
    const names = templating.list.map(({ name }) => name);
    expect(names).to.deep.equal(["datasource", "job", "instance"]);
    expect(templating.list[0]?.type).to.equal("datasource");
  });

  it("has panels that neither share a number or a title nor lie over each other", () => {
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).to.equal(panels.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x).to.be.lessThan(24);
          expect(taken.has(`${x} ${y}`), title).to.equal(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });

  it("leaves no metric of the server out of sight, but for those that say little by themselves", () => {
    const seen = [...drawn.flatMap(({ targets = [] }) => targets), ...rules].flatMap(({ expr }) =>
      metricNames(expr).map((name) => name.replace(/_(bucket|sum|count)$/, "")),
    );
    const bare = [...known].filter((name) => !/_(bucket|sum|count)$/.test(name));
    expect([
      "meridian_ballots_taken_total",
      "meridian_build_info",
      "meridian_clusters",
      "meridian_mirror_records",
      "meridian_mirror_requests_total",
      "meridian_mirror_throttled_total",
      "meridian_probes_running",
      "meridian_query_log_written_total",
      "meridian_services",
    ]).to.include.members(bare.filter((name) => !seen.includes(name)));
  });
});
