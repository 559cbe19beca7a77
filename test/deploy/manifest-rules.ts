// What must hold of a cluster's manifests and no schema says: that they lead to each other, and that
// pods may do no more than they must. It must not know where manifests come from.

import { type Container, isSelected, type Labels, type Manifest, ofKind } from "./manifests.ts";

/** Each rule with what breaks it, a sentence each. */
export const manifestRules: Readonly<
  Record<string, (manifests: readonly Manifest[]) => readonly string[]>
> = {
  "lead each Service, policy, budget and workload to the pods of one workload": (manifests) => {
    const byLabels = ofKind(manifests, "PodDisruptionBudget", "Deployment", "StatefulSet");
    const selectors: [Manifest, Labels][] = [
      ...ofKind(manifests, "Service").map((each): [Manifest, Labels] => [each, each.spec.selector]),
      ...byLabels.map((each): [Manifest, Labels] => [each, each.spec.selector.matchLabels]),
      ...ofKind(manifests, "NetworkPolicy").map((each): [Manifest, Labels] => [
        each,
        each.spec.podSelector.matchLabels,
      ]),
    ];
    if (selectors.length !== 9) return [`9 objects select pods, got ${selectors.length}`];
    return selectors.flatMap(([each, selector]) => {
      const found = podsOf(manifests, selector).length;
      return found === 1 ? [] : [`${named(each)} selects the pods of ${found} workloads`];
    });
  },

  "name ports that the pods have, by their protocols": (manifests) => [
    ...ofKind(manifests, "Service").flatMap((each) =>
      each.spec.ports.flatMap(({ targetPort, protocol }) =>
        portsOf(manifests, each.spec.selector).includes(`${targetPort}/${protocol}`)
          ? []
          : [`${named(each)} leads to ${targetPort}/${protocol}, which is no port of its pods`],
      ),
    ),
    ...ofKind(manifests, "NetworkPolicy").flatMap((each) =>
      each.spec.ingress.flatMap(({ ports }) =>
        ports
          .map(({ port, protocol }) => `${port}/${protocol}`)
          .filter((port) => !portsOf(manifests, each.spec.podSelector.matchLabels).includes(port))
          .map((port) => `${named(each)} opens ${port}, which is no port of its pods`),
      ),
    ),
  ],

  "answer DNS by UDP and TCP on port 53, with clients' addresses, at two pods or more": (
    manifests,
  ) => {
    const dns = ofKind(manifests, "Service").find((each) => each.metadata.name === "meridian");
    const ports = dns?.spec.ports.map(({ port, protocol }) => `${port}/${protocol}`) ?? [];
    const [servers] = dns ? podsOf(manifests, dns.spec.selector) : [];
    return [
      ...["53/UDP", "53/TCP"].filter((each) => !ports.includes(each)).map((each) => `no ${each}`),
      ...(dns?.spec.externalTrafficPolicy === "Local" ? [] : ["nodes hide clients' addresses"]),
      ...((servers?.spec.replicas ?? 0) >= 2 ? [] : ["one pod is not enough to be without none"]),
    ];
  },

  "let no container do more than it must": (manifests) =>
    workloadsOf(manifests).flatMap((each) => {
      const { containers, initContainers, securityContext } = each.spec.template.spec;
      const { runAsNonRoot, runAsUser, seccompProfile } = securityContext;
      const pod = JSON.stringify({ runAsNonRoot, runAsUser, seccompProfile });
      return [
        ...(pod === closedPod ? [] : [`${named(each)} runs as ${pod}`]),
        ...[...containers, ...initContainers]
          .filter((container) => closedContainer !== securityOf(container))
          .map(({ name }) => `container ${name} of ${named(each)} may do more than it must`),
      ];
    }),

  "probe what is there, mount what is given, and go before they are killed": (manifests) =>
    workloadsOf(manifests).flatMap((each) => {
      const { containers, terminationGracePeriodSeconds, volumes } = each.spec.template.spec;
      const given = [
        ...volumes,
        ...(each.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
      ];
      return containers.flatMap(
        ({ ports, startupProbe, readinessProbe, livenessProbe, ...other }) => {
          const probes = [startupProbe, readinessProbe, livenessProbe].map(
            ({ httpGet }) => httpGet,
          );
          const [, seconds = "0"] = other.lifecycle?.preStop.exec.command ?? [];
          return [
            ...(probes.map(({ path }) => path).join() === "/healthz,/readyz,/healthz"
              ? []
              : [`${named(each)} probes ${probes.map(({ path }) => path)}`]),
            ...probes
              .filter(({ port }) => !ports?.some(({ name }) => name === port))
              .map(({ port }) => `${named(each)} probes port ${port}, which it does not have`),
            ...other.volumeMounts
              .filter((mount) => !given.some(({ name }) => name === mount.name))
              .map(({ name }) => `${named(each)} mounts ${name}, which it is not given`),
            // After the sleep what has begun is finished.
            ...(Number(seconds) + 20 <= terminationGracePeriodSeconds
              ? []
              : [
                  `${named(each)} is killed ${terminationGracePeriodSeconds} s after it is told to end`,
                ]),
          ];
        },
      );
    }),

  "have one pod for a voter, whose name must never speak from two places": (manifests) =>
    ofKind(manifests, "StatefulSet").flatMap((each) =>
      each.spec.replicas === 1 ? [] : [`${named(each)} has ${each.spec.replicas} pods`],
    ),
};

const closedPod = JSON.stringify({
  runAsNonRoot: true,
  runAsUser: 65532,
  seccompProfile: { type: "RuntimeDefault" },
});
const closedContainer = JSON.stringify([false, true, { drop: ["ALL"] }]);

function securityOf({ securityContext }: Container): string {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = securityContext;
  return JSON.stringify([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities]);
}

function workloadsOf(manifests: readonly Manifest[]): Manifest[] {
  return ofKind(manifests, "Deployment", "StatefulSet");
}

function podsOf(manifests: readonly Manifest[], selector: Labels): Manifest[] {
  return workloadsOf(manifests).filter(({ spec }) =>
    isSelected(selector, spec.template.metadata.labels),
  );
}

/** `name/protocol` of each port of the pods' first container. */
function portsOf(manifests: readonly Manifest[], selector: Labels): string[] {
  const [workload] = podsOf(manifests, selector);
  const ports = workload?.spec.template.spec.containers[0]?.ports ?? [];
  return ports.map(({ name, protocol }) => `${name}/${protocol}`);
}

function named({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}
