import type { State } from "../routes/state-view.ts";
import { amount, counted, dateTime, timeOfDay } from "./format.ts";
import { Card, JobLink, List, More, Table } from "./parts.tsx";

type KeyState = State["keys"][number];

export function Keys({ keys }: State) {
  return (
    <Card name="keys" title="Keys and credits">
      <List
        text="No keys."
        rows={keys.map((key) => (
          <KeyRow key={key.key_id} {...key} />
        ))}
      />
    </Card>
  );
}

function KeyRow({ ledger: { total, latest }, token, ...account }: KeyState) {
  const limit = `at most ${amount(account.rate_limit_per_min)} a minute`;
  return (
    <details>
      <summary class="row">
        <span class="what">
          <span class="cut">{account.name ?? "no name"}</span>
          <span class="details mono cut">{token ?? account.api_key}</span>
        </span>
        {account.state !== "active" && <span class="tag">{account.state}</span>}
        <span class="balance">{account.mode === "test" ? "free" : amount(account.credits)}</span>
      </summary>
      <div class="inside">
        <p class="details">
          {counted(account.total_calls, "request")}, {limit}
        </p>
        <Table heads={["At", "Cause", "Credits"]}>
          {latest.map(({ at, cause, job_id: jobId, credits }, index) => (
            <tr key={total - index}>
              <td class="mono" title={`${dateTime(at)} UTC`}>
                {timeOfDay(at).slice(0, 8)}
              </td>
              <td>
                {cause} {jobId !== undefined && <JobLink jobId={jobId} />}
              </td>
              <td class="number">{amount(credits)}</td>
            </tr>
          ))}
        </Table>
        <More shown={latest.length} total={total} />
      </div>
    </details>
  );
}
