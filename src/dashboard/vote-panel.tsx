// The vote table: endpoints by voters, page by page. It must not know where the votes come from.

import { useState } from "preact/hooks";
import type { ClusterReport } from "../control/api-schemas.ts";
import type { KnownVotes } from "./server-link.ts";
import { toneSigns } from "./status.tsx";
import {
  sortedRows,
  tallyText,
  type VoteCell,
  type VoteRow,
  voteRow,
  votersOf,
} from "./vote-words.ts";
import { isSameQuery, type VotesCursor, type VotesQuery } from "./votes-query.ts";

/** More voters than these have no columns of their own. */
const mostColumns = 5;

export function VotePanel({
  votes,
  clusters,
  nowMs,
  onQuery,
}: {
  votes: KnownVotes | undefined;
  clusters: readonly ClusterReport[];
  nowMs: number;
  onQuery: (query: VotesQuery) => void;
}) {
  const [query, setQuery] = useState<VotesQuery>(firstQuery);
  /** Where the pages before this one began. */
  const [former, setFormer] = useState<readonly (VotesCursor | undefined)[]>([]);
  const show = (next: VotesQuery, before: readonly (VotesCursor | undefined)[] = []): void => {
    setQuery(next);
    setFormer(before);
    onQuery(next);
  };
  const report = votes?.report;
  const isLate = votes !== undefined && !isSameQuery(votes.query, query);
  const rows = sortedRows((report?.items ?? []).map((each) => voteRow(each, nowMs)));
  const heard = new Map(report?.voters.map((each) => [each.name, each.isLive]));
  const next = votes?.next;
  return (
    <section class="panel votes" id="endpoints" aria-labelledby="votes-title" tabIndex={-1}>
      <div class="panel-head">
        <h2 id="votes-title">Endpoints and votes</h2>
        <Filters query={query} clusters={clusters} onQuery={show} />
      </div>
      {(report?.warnings ?? []).map((warning) => (
        <p key={warning} class="warning">
          ▲ {warning}
        </p>
      ))}
      {report?.quorum === null && <p class="hint">This server takes no part in votes.</p>}
      {rows.length > 0 && <VoteTable rows={rows} heard={heard} isLate={isLate} />}
      {report && rows.length === 0 && <p class="hint">{emptyText(query)}</p>}
      {(former.length > 0 || next) && (
        <nav class="pages" aria-label="Pages of endpoints">
          <button
            type="button"
            disabled={former.length === 0}
            onClick={() => show({ ...query, cursor: former.at(-1) }, former.slice(0, -1))}
          >
            Previous
          </button>
          <span>Page {former.length + 1}</span>
          <button
            type="button"
            disabled={!next}
            onClick={() => show({ ...query, cursor: next }, [...former, query.cursor])}
          >
            Next
          </button>
        </nav>
      )}
    </section>
  );
}

const firstQuery: VotesQuery = { show: "all", service: "", cluster: "", cursor: undefined };

function emptyText({ show, service, cluster }: VotesQuery): string {
  if (show === "not-up" && service === "" && cluster === "") return "Every endpoint is up.";
  if (show === "not-up" || service !== "" || cluster !== "") return "No endpoint is like that.";
  return "No endpoint is voted on: no service has a health check.";
}

function Filters({
  query,
  clusters,
  onQuery,
}: {
  query: VotesQuery;
  clusters: readonly ClusterReport[];
  onQuery: (query: VotesQuery) => void;
}) {
  const [service, setService] = useState(query.service);
  const change = (changed: Partial<VotesQuery>): void =>
    onQuery({ ...query, ...changed, cursor: undefined });
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        change({ service: service.trim() });
      }}
    >
      <fieldset class="switch">
        <legend class="hidden">Which endpoints</legend>
        {(["all", "not-up"] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="show"
              checked={query.show === each}
              onChange={() => change({ show: each })}
            />
            <span>{each === "all" ? "All" : "Not up"}</span>
          </label>
        ))}
      </fieldset>
      <label>
        <span class="hidden">Cluster</span>
        <select
          value={query.cluster}
          onChange={(event) => change({ cluster: event.currentTarget.value })}
        >
          <option value="">every cluster</option>
          {clusters.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="hidden">Service, namespace/name</span>
        <input
          type="search"
          placeholder="namespace/service"
          list="service-keys"
          spellcheck={false}
          autocapitalize="off"
          value={service}
          onInput={(event) => setService(event.currentTarget.value)}
          onChange={(event) => change({ service: event.currentTarget.value.trim() })}
        />
      </label>
    </form>
  );
}

function VoteTable({
  rows,
  heard,
  isLate,
}: {
  rows: readonly VoteRow[];
  heard: ReadonlyMap<string, boolean>;
  isLate: boolean;
}) {
  const voters = votersOf(rows);
  const columns = voters.length <= mostColumns ? voters : [];
  return (
    // Roles are said, as browsers drop those of tables that are laid out as lists on small screens.
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    // biome-ignore-start lint/a11y/useSemanticElements: see above
    <table
      class={isLate ? "late" : ""}
      role="table"
      aria-labelledby="votes-title"
      aria-busy={isLate}
    >
      <thead role="rowgroup">
        <tr role="row">
          {["Verdict", "Service", "Cluster", "Address"].map((each) => (
            <th key={each} role="columnheader" scope="col">
              {each}
            </th>
          ))}
          {columns.map((voter) => (
            <th key={voter} role="columnheader" scope="col">
              {voter}
              {heard.get(voter) === false && <span class="unheard"> not heard</span>}
            </th>
          ))}
          {columns.length === 0 && (
            <th role="columnheader" scope="col">
              Votes
            </th>
          )}
          <th role="columnheader" scope="col">
            What would flip it
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={row.key} role="row" class={row.tone}>
            <td role="cell" class="verdict">
              <span class="sign" aria-hidden="true">
                {toneSigns[row.tone]}
              </span>
              <b>{row.label}</b>
              {row.note !== "" && <small>{row.note}</small>}
            </td>
            <td role="cell" class="service">
              {row.service}
            </td>
            <td role="cell" class="cluster">
              {row.cluster}
            </td>
            <td role="cell" class="address">
              {row.address}
              {row.isInternal && <small>inside only</small>}
            </td>
            {columns.map((voter) => (
              <Vote
                key={voter}
                voter={voter}
                cell={row.votes.find((each) => each.voter === voter)}
              />
            ))}
            {columns.length === 0 && <td role="cell">{tallyText(row.votes)}</td>}
            <td role="cell" class="flip" title={row.flip}>
              {row.flip}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/useSemanticElements: see above
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

function Vote({ voter, cell }: { voter: string; cell: VoteCell | undefined }) {
  const words = { up: "up", down: "down", none: "no word" } as const;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: as for the table
    <td role="cell" class={`vote ${cell?.word ?? "absent"}`} data-voter={voter}>
      {cell ? words[cell.word] : "–"}
      {cell && cell.detail !== "" && <small>{cell.detail}</small>}
    </td>
  );
}
