import { useEffect, useState } from "preact/hooks";

import type { RequestDetails, Requests } from "../routes/page-routes.ts";
import type { State } from "../routes/state-view.ts";
import { loadRequest } from "./api.ts";
import { amount, dateTime, duration, fromNow, joinTexts } from "./format.ts";
import { page } from "./page-model.ts";
import { Action, Card, JobLink, List, Message, Pill } from "./parts.tsx";

type RequestState = Requests["latest"][number];

const statuses = {
  "": "All statuses",
  error: "Errors",
  "2xx": "2xx",
  "4xx": "4xx",
  "5xx": "5xx",
  broken: "Broken",
  pending: "In progress",
};

export function RequestList({ total, latest, now, generation }: Requests & State) {
  return (
    <Card name="requests" title="Requests" side={<Filters total={total} />}>
      <List
        text="No requests."
        hint="Requests of your app and of this page are listed here."
        rows={latest.map((request) => (
          <RequestRow key={request.request_id} request={request} now={now} />
        ))}
        total={total}
        generation={generation}
      />
    </Card>
  );
}

function Filters({ total }: { total: number }) {
  return (
    <div class="filters row">
      <select
        aria-label="Status"
        value={page.filter.status}
        onChange={({ currentTarget }) => page.filterRequests({ status: currentTarget.value })}
      >
        {Object.entries(statuses).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Path"
        placeholder="path contains"
        value={page.filter.path}
        onInput={({ currentTarget }) => page.filterRequests({ path: currentTarget.value.trim() })}
      />
      <span class="count muted">{amount(total)}</span>
    </div>
  );
}

function RequestRow({ request, now }: { request: RequestState; now: number }) {
  const { at, method, path, query, status, refusal } = request;
  const { duration_ms: length, fault_ids: faultIds } = request;
  const [isOpen, setOpen] = useState(false);
  const reason = refusal?.rule ?? faultIds[0];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="row">
        <Pill status={length === null ? "pending" : String(status ?? "broken")} />
        <span class="method mono">{method}</span>
        <span class="url mono cut" title={path}>
          {joinTexts("?", path, query)}
        </span>
        {reason !== undefined && <span class="tag cut">{reason}</span>}
        <span class="details duration">{length === null ? "" : duration(length)}</span>
        <time class="details" title={`${dateTime(at)} UTC`}>
          {fromNow(at, now)}
        </time>
      </summary>
      {/* A request in progress gets its response later. */}
      {isOpen && <Details key={String(length)} {...request} />}
    </details>
  );
}

function Details({ request_id: id, job_id: jobId, refusal, ...request }: RequestState) {
  const [details, setDetails] = useState<RequestDetails>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    loadRequest(id).then(setDetails, (error: Error) => setProblem(error.message));
  }, [id]);
  const { api_key: key, idempotency_key: idempotencyKey, fault_ids: faultIds, replayed } = request;
  return (
    <div class="inside">
      <p class="details">
        {key ?? "no key"}
        {idempotencyKey !== null && `, idempotency key ${idempotencyKey}`}
        {replayed && ", replayed"}
        {faultIds.length > 0 && `, ${faultIds.join(", ")} applied`}
        {jobId !== null && (
          <>
            , job <JobLink jobId={jobId} />
          </>
        )}
      </p>
      {refusal && (
        <p>
          {refusal.rule !== null && <strong class="mono">{refusal.rule}</strong>}{" "}
          <span>{refusal.detail}</span>
        </p>
      )}
      {problem !== undefined && <p class="details">{problem}</p>}
      {details && <Exchange {...details} />}
    </div>
  );
}

function Exchange({ request, response, near_faults: nearFaults, curl }: RequestDetails) {
  const [isShown, setShown] = useState(false);
  // Pages of other machines over http have no clipboard.
  const copy = async (): Promise<string> => {
    try {
      await navigator.clipboard.writeText(curl);
      return "Copied. Set TRYON_API_KEY before you run it.";
    } catch {
      setShown(true);
      return "The browser allows no copying here: select the command below the request.";
    }
  };
  return (
    <>
      {nearFaults.map(({ fault_id: id, reason }) => (
        <p key={id} class="details">
          <span class="mono">{id}</span> did not apply: it {reason}.
        </p>
      ))}
      <div class="messages">
        <Message title="Request" {...request} noBody="The server read no body." />
        <Message
          title="Response"
          headers={response?.headers ?? {}}
          body={response?.body ?? null}
          noBody={response === null ? "No response." : "The journal keeps only texts."}
        />
      </div>
      <div class="row wrap">
        <Action class="small" run={copy}>
          Copy as curl
        </Action>
      </div>
      {isShown && <pre>{curl}</pre>}
    </>
  );
}
