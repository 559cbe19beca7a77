// The head and the foot of the page: which server this is, and whom its data is owed to.

import type { StateReport } from "../control/api-schemas.ts";
import { counted, durationText } from "./number-text.ts";
import type { Link } from "./wellness.ts";

export function Header({ state, link }: { state: StateReport | undefined; link: Link }) {
  return (
    <header class="top">
      <h1>
        <img src="/dashboard/icon.svg" alt="" width="22" height="22" />
        Meridian <span class="instance">{state?.name ?? ""}</span>
      </h1>
      {state && <Facts state={state} />}
      <p class={`link ${link.kind}`}>
        <span class="dot" aria-hidden="true" />
        {linkWords[link.kind]}
      </p>
    </header>
  );
}

const linkWords: Readonly<Record<Link["kind"], string>> = {
  connecting: "connecting",
  live: "live",
  lost: "reconnecting",
};

function Facts({ state }: { state: StateReport }) {
  const { federation, version, quorum, now, startedAt, snapshot, isReady, listen } = state;
  const upSeconds = (Date.parse(now) - Date.parse(startedAt)) / 1000;
  const places = listen.map(({ address, port }) =>
    address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
  );
  return (
    <dl class="facts">
      <Fact
        name="federation"
        value={`${federation.name}.${federation.domain}`.replace(/\.$/, "")}
      />
      <Fact name="state" value={isReady ? "ready" : "not ready"} />
      <Fact name="voters" value={quorum ? votersText(quorum) : "takes no part in votes"} />
      <Fact name="files read" value={`${durationText(snapshotAge(state))} ago`} />
      <Fact name="up" value={durationText(upSeconds)} />
      <Fact name="version" value={version} />
      <Fact
        name="DNS"
        value={`${places.slice(0, 2).join(", ")}${places.length > 2 ? ", …" : ""}`}
        title={`${counted(listen.length, "listener")}; snapshot of ${Math.round(snapshot.octets / 1024)} KiB`}
      />
    </dl>
  );
}

function snapshotAge({ now, reload }: StateReport): number {
  return (Date.parse(now) - Date.parse(reload.at)) / 1000;
}

function votersText({ isHeld, live, configured }: NonNullable<StateReport["quorum"]>): string {
  return `${live} of ${configured} heard, quorum ${isHeld ? "held" : "lost"}`;
}

function Fact({ name, value, title }: { name: string; value: string; title?: string }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function Footer() {
  return (
    <footer>
      <p>
        <a href="https://db-ip.com" rel="noreferrer">
          IP Geolocation by DB-IP
        </a>
        {" · "}Map made with{" "}
        <a href="https://www.naturalearthdata.com" rel="noreferrer">
          Natural Earth
        </a>
        {" · "}
        <a href="/openapi.json">API</a>
        {" · "}
        <a href="/metrics">Metrics</a>
        {" · "}
        <a href="/dashboard/licenses.txt">Licences</a>
      </p>
    </footer>
  );
}
