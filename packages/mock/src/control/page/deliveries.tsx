import type { State } from "../routes/state-view.ts";
import { command } from "./api.ts";
import { amount, counted, dateTime, duration, fromNow, timeOfDay } from "./format.ts";
import { Action, Card, Empty, JobLink, More, Pill, Table } from "./parts.tsx";

type DeliveryState = State["deliveries"]["latest"][number];

const repeats = [
  ["replay", "Replay", "Send the same bytes again"],
  ["duplicate", "Duplicate", "Deliver the same event again, with retries"],
  ["tamper", "Tamper", "Send a changed body with the old signature"],
] as const;

/** Newest webhook deliveries of all jobs. */
export function Deliveries({ deliveries: { total, latest }, now, generation }: State) {
  return (
    <Card name="deliveries" title="Webhooks" side={<span class="count">{amount(total)}</span>}>
      {total === 0 && (
        <Empty text="No webhooks yet." hint="A job with a webhook URL sends one when it ends." />
      )}
      <DeliveryRows key={generation} deliveries={latest} now={now} />
      <More shown={latest.length} total={total} />
    </Card>
  );
}

interface RowsProps {
  readonly deliveries: readonly DeliveryState[];
  readonly now: number;
}

/** Deliveries, each of which opens to its attempts. */
export function DeliveryRows({ deliveries, now }: RowsProps) {
  return (
    <ul class="rows">
      {deliveries.map((delivery) => (
        <li key={delivery.delivery_id}>
          <DeliveryRow delivery={delivery} now={now} />
        </li>
      ))}
    </ul>
  );
}

function DeliveryRow({
  delivery,
  now,
}: {
  readonly delivery: DeliveryState;
  readonly now: number;
}) {
  const { delivery_id: id, attempts, cause, repeats: original } = delivery;
  const at = delivery.next_attempt_at ?? attempts.at(-1)?.at;
  return (
    <details class="delivery">
      <summary>
        <Pill status={delivery.state} />
        <span class="url mono" title={delivery.url}>
          {delivery.url}
        </span>
        {cause !== "job" && <span class="tag">{cause}</span>}
        <span class="dots" role="img" aria-label={counted(attempts.length, "attempt")}>
          {attempts.map(({ status, error }, index) => (
            <i
              key={index}
              class={status !== null && status >= 200 && status < 300 ? "good" : "bad"}
              title={String(status ?? error ?? "no response")}
            />
          ))}
        </span>
        <time>{at === undefined ? "" : fromNow(at, now)}</time>
      </summary>
      <div class="inside">
        <p class="details">
          <span class="mono">{id}</span> for job <JobLink jobId={delivery.job_id} />
          {original !== null && (
            <>
              , a {cause} of <span class="mono">{original}</span>
            </>
          )}
        </p>
        <AttemptTable delivery={delivery} now={now} />
        <div class="buttons">
          {repeats.map(([kind, text, title]) => (
            <Action key={kind} class="small" title={title} run={() => repeat(kind, id)}>
              {text}
            </Action>
          ))}
        </div>
      </div>
    </details>
  );
}

function AttemptTable({
  delivery,
  now,
}: {
  readonly delivery: DeliveryState;
  readonly now: number;
}) {
  const { attempts, next_attempt_at: next } = delivery;
  return (
    <Table heads={["Attempt", "At", "Response", "Duration"]}>
      {attempts.map(({ at, status, ms, error }, index) => (
        <tr key={index}>
          <td>{index + 1}</td>
          <td class="mono" title={`${dateTime(at)} UTC`}>
            {timeOfDay(at)}
          </td>
          <td>{status ?? error ?? "none"}</td>
          <td class="number">{duration(ms)}</td>
        </tr>
      ))}
      {next !== null && (
        <tr key="next" class="coming">
          <td>{attempts.length + 1}</td>
          <td class="mono">{timeOfDay(next)}</td>
          <td>due {fromNow(next, now)}</td>
          <td />
        </tr>
      )}
    </Table>
  );
}

async function repeat(kind: string, deliveryId: string): Promise<string> {
  const path = `deliveries/${encodeURIComponent(deliveryId)}/${kind}`;
  const { delivery_id: id, attempts } = await command(path);
  // The response is a delivery with at most one attempt.
  const [attempt] = attempts as DeliveryState["attempts"];
  const result = attempt === undefined ? "no response yet" : (attempt.status ?? attempt.error);
  return `${String(id)}: ${result ?? "no response"}.`;
}
