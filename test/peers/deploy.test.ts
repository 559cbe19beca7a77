// The packaging, held to what others' programs say of it and to what it does: the image's own steps make
// a server that answers, the unit's filter lets it live, manifests are those of a Kubernetes, alerts fire.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { execForm, lastOf } from "../deploy/dockerfile.ts";
import { type Image, makeImage, quoted, runInImage, startWords } from "../deploy/image.ts";
import { manifestRules } from "../deploy/manifest-rules.ts";
import {
  buildOverlay,
  kubernetesFolder,
  type Manifest,
  mountConfigMap,
  ofKind,
  overlays,
  readManifests,
} from "../deploy/manifests.ts";
import { metricNames, prometheusFolder, readDashboard } from "../deploy/monitoring.ts";
import { runTool } from "../deploy/tools.ts";
import { allowedCalls, readSection } from "../deploy/unit-file.ts";
import { runCommand } from "../kit/command.ts";
import { startServer } from "../kit/server.ts";
import { needNetwork } from "./need-network.ts";

const root = path.resolve(import.meta.dirname, "../..");
const unitFile = path.join(root, "deploy/systemd/meridian@.service");
const name = "my-service.my-namespace.my-federation.my-domain.com";

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "meridian-deploy-test-"));
  // Another user is to read the image below it.
  chmodSync(folder, 0o755);
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("the image, made by the steps of its Dockerfile", () => {
  let image: Image;
  const mounts = {
    "etc/meridian/meridian.yaml": path.join(root, "deploy/docker/meridian.yaml"),
    "etc/meridian/zones": path.join(root, "zones"),
  };
  /** Starts the server, waits until the image's own check of its health is content, and asks it. */
  const story = (more: readonly string[]): string => {
    const check = lastOf(image.runtime, "HEALTHCHECK");
    const words = execForm(check.slice(check.indexOf("[")))
      .map(quoted)
      .join(" ");
    return [
      'exec 2>&1; "$@" & server=$!',
      `tries=0; until ${words}; do tries=$((tries + 1)); [ $tries -lt 100 ] || exit 1; done`,
      "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/$server/status",
      `dig +short +tries=1 @127.0.0.1 ${name}`,
      `dig +short +tries=1 +tcp @127.0.0.1 ${name}`,
      ...more,
      'kill -TERM $server; wait $server; echo "exit status $?"',
    ].join("\n");
  };
  const address = "104.197.38.157";
  const drain =
    "node /opt/meridian/dist/cli/main.js drain cluster-2 --config /etc/meridian/meridian.yaml";
  /** Another process takes over, asks for nothing but what the unit lets it, and knows the drains. */
  const replacement = [
    '"$@" --replace & next=$!; wait $server; echo "replaced: $?"; server=$next',
    `dig +short +tries=1 @127.0.0.1 ${name}`,
    "cat /var/lib/meridian/drains.json",
  ];

  before(function () {
    this.timeout(300_000);
    needNetwork(this);
    image = makeImage(path.join(folder, "image"));
  });

  it("answers on port 53 as its user, without capabilities, and writes to its data folder alone", () => {
    const places = ["/x", "/tmp/x", "/opt/meridian/x", "/etc/meridian/x", "/var/lib/meridian/x"];
    const tries = places.map((each) => `( : >${each} ) 2>/dev/null && echo "writes ${each}" || :`);
    const said = runInImage(image, { mounts, inside: story(["id -u", ...tries]) });
    expect(said)
      .to.match(/^CapEff:\t0+$/m)
      .and.match(/^65532$/m);
    expect(said.split("\n").filter((line) => line === address)).to.have.lengthOf(2);
    expect(said.match(/^writes .*$/gm)).to.deep.equal(["writes /var/lib/meridian/x"]);
    expect(said)
      .to.match(/"event":"serving","udp":"batch"/)
      .and.match(/^exit status 0$/m);
  });

  const unit = readSection(readFileSync(unitFile, "utf8"), "Service");
  /** The story under the unit's filter of system calls, and with its one capability. */
  const underFilter = (calls: ReadonlySet<string>, more: readonly string[]): string => {
    const list = path.join(folder, "calls");
    writeFileSync(list, [...calls].join("\n"));
    const [, ...words] = startWords(image.runtime);
    return runInImage(image, {
      mounts: {
        ...mounts,
        "etc/meridian/calls": list,
        "etc/meridian/under-filter.mjs": path.join(root, "test/deploy/under-filter.mjs"),
      },
      inside: story(more),
      portStart: 1024,
      proc: "subset=pid,hidepid=invisible",
      privileges: ["bounding-set", "inh-caps", "ambient-caps"].map(
        (each) => `--${each}=-all,+net_bind_service`,
      ),
      command: [
        "node",
        "/etc/meridian/under-filter.mjs",
        "/etc/meridian/calls",
        process.execPath,
        ...words,
      ],
    });
  };

  it("lives under the filter of system calls and the one capability of systemd's unit", () => {
    expect(unit.get("CapabilityBoundingSet")).to.deep.equal(["CAP_NET_BIND_SERVICE"]);
    const said = underFilter(allowedCalls(unit), [drain, ...replacement]);
    expect(said)
      .to.match(/^CapEff:\t0+400$/m)
      .and.match(/^Seccomp:\t2$/m);
    expect(said).to.match(/^replaced: 0$/m);
    expect(said.split("\n").filter((line) => line === address)).to.have.lengthOf(3);
    expect(said)
      .to.match(/"event":"serving","udp":"batch"/)
      .and.include('"cluster-2"');
    expect(said).to.match(/^exit status 0$/m);
  });

  it("answers by TCP alone under a filter without the calls that batches need", () => {
    const calls = allowedCalls(unit);
    expect(calls.delete("recvmmsg")).to.equal(true);
    const said = underFilter(calls, []);
    expect(said.split("\n").filter((line) => line === address)).to.have.lengthOf(1);
    expect(said).to.include("timed out");
  });
});

describe("the unit of systemd", () => {
  /** The unit with a program that is there in place of the one that is to be installed. */
  const installed = (): string => {
    const units = mkdtempSync(path.join(folder, "units-"));
    const text = readFileSync(unitFile, "utf8");
    const file = path.join(units, path.basename(unitFile));
    writeFileSync(file, text.replaceAll("/usr/local/bin/meridian", process.execPath));
    return file;
  };

  it("has nothing that systemd itself finds", () => {
    runTool("systemd-analyze", "verify", installed());
  });

  it("is as closed as a server on port 53 by Node can be", () => {
    // What is left: the network, port 53, netlink, and code that V8 compiles while it runs.
    runTool("systemd-analyze", "security", "--offline=true", "--threshold=15", installed());
    expect(() =>
      runTool("systemd-analyze", "security", "--offline=true", "--threshold=5", installed()),
    ).to.throw("exit status 1");
  });

  it("makes its user", () => {
    const file = path.join(root, "deploy/systemd/meridian.sysusers.conf");
    const at = mkdtempSync(path.join(folder, "root-"));
    mkdirSync(path.join(at, "etc"));
    runTool("systemd-sysusers", `--root=${at}`, file);
    expect(readFileSync(path.join(at, "etc/passwd"), "utf8")).to.match(/^meridian:.*nologin$/m);
  });
});

for (const overlay of overlays) {
  describe(`the manifests of ${overlay}`, () => {
    let text: string;
    let manifests: readonly Manifest[];
    before(function () {
      this.timeout(180_000);
      runTool(path.join(root, "test/deploy/install-kubernetes-validate.sh"));
      ({ text, manifests } = buildOverlay(overlay));
    });

    it("have the fields of Kubernetes and no others", () => {
      const validate = path.join(
        root,
        "node_modules/.cache/kubernetes-validate/bin/kubernetes-validate",
      );
      const file = path.join(folder, `${overlay}.yaml`);
      writeFileSync(file, text);
      const said = runTool(validate, "--strict", file);
      expect(said).to.not.equal("no objects");
      writeFileSync(file, text.replace("readinessProbe:", "redinessProbe:"));
      expect(() => runTool(validate, "--strict", file)).to.throw("redinessProbe");
    });

    for (const [rule, problems] of Object.entries(manifestRules)) {
      it(rule, () => expect(problems(manifests)).to.deep.equal([]));
    }

    for (const [right, wrong] of [
      ["meridian\n  type: LoadBalancer", "other\n  type: LoadBalancer"],
      ["targetPort: dns-tcp", "targetPort: dns"],
      ["externalTrafficPolicy: Local", "externalTrafficPolicy: Cluster"],
      ["readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"],
      ["runAsUser: 65532", "runAsUser: 0"],
      ["path: /readyz", "path: /metrics"],
      ['- "15"', '- "30"'],
      ["replicas: 1", "replicas: 2"],
    ] as const) {
      it(`would break a rule with ${wrong.replaceAll("\n", " ")}`, () => {
        expect(text).to.include(right);
        const broken = readManifests(text.replace(right, wrong));
        const problems = Object.values(manifestRules).flatMap((rule) => rule(broken));
        expect(problems).to.not.deep.equal([]);
      });
    }

    it("have one address by which CoreDNS asks", () => {
      const dns = ofKind(manifests, "Service").find((each) => each.metadata.name === "meridian");
      const file = path.join(kubernetesFolder, "coredns/coredns-custom.yaml");
      const [, asked] = /forward \. (\S+) /.exec(readFileSync(file, "utf8")) ?? [];
      // The snippet is that of the first cluster.
      if (overlay === "cluster-1") expect(dns?.spec.clusterIP).to.equal(asked);
      else expect(dns?.spec.clusterIP).to.match(/^10\./).and.not.equal(asked);
    });

    for (const role of ["server", "voter"]) {
      it(`have a configuration of the ${role} in which meridian check finds nothing`, async () => {
        const at = mkdtempSync(path.join(folder, `${overlay}-${role}-`));
        const mapOf = (map: string): Manifest => {
          const [found] = ofKind(manifests, "ConfigMap").filter(
            (each) => each.metadata.name === map,
          );
          if (!found) throw new Error(`cannot find the ConfigMap, got ${map}`);
          return found;
        };
        mountConfigMap(mapOf("meridian-zones"), path.join(at, "etc/meridian/zones"));
        const { data } = mapOf(`meridian-${role}`);
        const settings = data["meridian.yaml"] ?? "";
        const moved = settings.replace(/(?<= )\/(?=etc|run|var)/g, `${at}/`);
        expect(moved).to.not.equal(settings);
        mkdirSync(path.join(at, "run/meridian"), { recursive: true });
        const made = await runCommand(["keygen", "run/meridian/peers.key"], at);
        expect(made.status, made.stderr).to.equal(0);
        writeFileSync(
          path.join(at, "run/meridian/tokens"),
          `prometheus read ${"0123456789abcdef".repeat(4)}\n`,
          { mode: 0o600 },
        );
        const config = path.join(at, "meridian.yaml");
        writeFileSync(config, moved);
        const checked = await runCommand(["check", "--config", config], at);
        expect(checked.stderr).to.equal("");
        expect(checked.stdout).to.include("2 clusters").and.include("1 service");
        expect(checked.stdout.match(/^warning: .*/gm)).to.equal(null);
        expect(checked.status).to.equal(0);
      });
    }
  });
}

describe("the monitoring", () => {
  const at = (file: string): string => path.join(prometheusFolder, file);

  it("has rules that promtool takes, and a scrape", () => {
    expect(runTool("promtool", "check", "rules", at("meridian.rules.yaml"))).to.include("SUCCESS");
    runTool("promtool", "check", "config", "--syntax-only", at("prometheus.yaml"));
  });

  it("has alerts that fire when they should and not before", () => {
    expect(runTool("promtool", "test", "rules", at("meridian.rules.test.yaml"))).to.include(
      "SUCCESS",
    );
  });

  it("has a dashboard whose expressions Prometheus takes", () => {
    const expressions = readDashboard().panels.flatMap(({ targets = [] }) => targets);
    const rules = expressions.map(({ expr }, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$\w+/g, "x"),
    }));
    const file = path.join(folder, "dashboard.rules.yaml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(runTool("promtool", "check", "rules", file)).to.include("SUCCESS");
  });

  it("asks for metrics that a real server gives", async () => {
    const server = await startServer({
      files: path.join(root, "zones"),
      serverSpec: { listen: { dns: ["127.0.0.1:0"], http: "127.0.0.1:0" } },
    });
    try {
      const { http } = await server.logged(({ event }) => event === "serving");
      const { port } = http as { port: number };
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const given = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, each = ""]) => each);
      const asked = readDashboard()
        .panels.flatMap(({ targets = [] }) => targets)
        .flatMap(({ expr }) =>
          metricNames(expr).map((each) => each.replace(/_(bucket|sum|count)$/, "")),
        )
        // These are there where something is voted on, or mirrored.
        .filter((each) => !/_(quorum|voters|endpoints|ballots|probes?|mirror)/.test(each));
      expect(asked).to.not.deep.equal([]);
      for (const each of asked) expect(given).to.include(each);
    } finally {
      await server.stop();
    }
  });
});
