import type { State } from "../routes/state-view.ts";
import { amount, change, counted, dateTime, timeOfDay } from "./format.ts";
import { Card, CopyButton, Empty, JobLink, More, Table } from "./parts.tsx";

type KeyState = State["keys"][number];

/** Keys with their balances and ledgers. */
export function Keys({ keys }: State) {
  return (
    <Card name="keys" title="Keys and credits">
      <ul class="rows">
        {keys.map((key) => (
          <li key={key.key_id}>
            <KeyRow {...key} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function KeyRow({ ledger, token, ...account }: KeyState) {
  const limit = `at most ${amount(account.rate_limit_per_min)} a minute`;
  return (
    <details class="key">
      <summary>
        <span class="what">
          <span>{account.name ?? "no name"}</span>
          <span class="details mono">{account.api_key}</span>
        </span>
        {account.state !== "active" && <span class="tag">{account.state}</span>}
        <span class="balance">{account.mode === "test" ? "free" : amount(account.credits)}</span>
      </summary>
      <div class="inside">
        <p class="details">
          {counted(account.total_calls, "request")}, {limit}
        </p>
        {token !== null && (
          <div class="buttons">
            <CopyButton text={token} name="key" />
          </div>
        )}
        {ledger.total === 0 ? (
          <p class="details">The ledger is empty.</p>
        ) : (
          <LedgerTable {...ledger} />
        )}
      </div>
    </details>
  );
}

function LedgerTable({ total, latest }: KeyState["ledger"]) {
  return (
    <>
      <Table heads={["At", "Cause", "Credits"]}>
        {latest.map(({ at, cause, job_id: jobId, credits }, index) => (
          <tr key={total - index}>
            <td class="mono" title={`${dateTime(at)} UTC`}>
              {timeOfDay(at).slice(0, 8)}
            </td>
            <td>
              {cause} {jobId !== undefined && <JobLink jobId={jobId} />}
            </td>
            <td class={credits < 0 ? "number" : "number plus"}>{change(credits)}</td>
          </tr>
        ))}
      </Table>
      <More shown={latest.length} total={total} />
    </>
  );
}

/** Options whose values differ from their defaults. */
export function Options({ options }: State) {
  const count = options.length > 0 && <span class="count">{options.length}</span>;
  return (
    <Card name="options" title="Options" side={count}>
      {options.length === 0 && <Empty text="Every option has its default." />}
      <ul class="rows">
        {options.map(({ id, value, default: usual, summary }) => (
          <li key={id} class="option" title={summary}>
            <span class="mono grow">{id}</span>
            <span class="mono">{String(value)}</span>
            <span class="details">default {String(usual)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
