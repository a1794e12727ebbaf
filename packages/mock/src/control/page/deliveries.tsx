import type { State } from "../routes/state-view.ts";
import { command } from "./api.ts";
import { amount, counted, dateTime, duration, fromNow, timeOfDay } from "./format.ts";
import { Action, Card, JobLink, List, Message, Pill, Table } from "./parts.tsx";

type DeliveryState = State["deliveries"]["latest"][number];

const repeats = [
  ["replay", "Replay", "Send the same bytes again"],
  ["duplicate", "Duplicate", "Deliver the same event again, with retries"],
  ["tamper", "Tamper", "Send a changed body with the old signature"],
] as const;

export function Deliveries({ deliveries: { total, latest }, now, generation }: State) {
  return (
    <Card
      name="deliveries"
      title="Webhooks"
      side={<span class="count muted">{amount(total)}</span>}
    >
      <List
        text="No webhooks yet."
        hint="A job with a webhook URL sends one when it ends."
        rows={latest.map((delivery) => (
          <DeliveryRow key={delivery.delivery_id} delivery={delivery} now={now} />
        ))}
        total={total}
        generation={generation}
      />
    </Card>
  );
}

function DeliveryRow({ delivery, now }: { delivery: DeliveryState; now: number }) {
  const { delivery_id: id, attempts, cause, repeats: original, next_attempt_at: next } = delivery;
  const at = next ?? attempts.at(-1)?.at;
  return (
    <details>
      <summary class="row">
        <Pill status={delivery.state} />
        <span class="url mono cut" title={delivery.url}>
          {delivery.url}
        </span>
        {cause !== "job" && <span class="tag">{cause}</span>}
        <span class="details">{counted(attempts.length, "attempt")}</span>
        <time class="details">{at === undefined ? "" : fromNow(at, now)}</time>
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
        <Table heads={["Attempt", "At", "Response", "Duration"]}>
          {attempts.map(({ at: sentAt, status, ms, error }, index) => (
            <tr key={index}>
              <td>{index + 1}</td>
              <td class="mono" title={`${dateTime(sentAt)} UTC`}>
                {timeOfDay(sentAt)}
              </td>
              <td>{status ?? error ?? "none"}</td>
              <td class="number">{duration(ms)}</td>
            </tr>
          ))}
          {next !== null && (
            <tr key="next" class="muted">
              <td>{attempts.length + 1}</td>
              <td class="mono">{timeOfDay(next)}</td>
              <td>due {fromNow(next, now)}</td>
              <td />
            </tr>
          )}
        </Table>
        <Message
          title="Request"
          headers={delivery.headers}
          body={delivery.body}
          noBody="No body."
        />
        <div class="row wrap">
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

async function repeat(kind: string, deliveryId: string): Promise<string> {
  const path = `deliveries/${encodeURIComponent(deliveryId)}/${kind}`;
  const { delivery_id: id, attempts } = await command(path);
  // The response is a delivery with at most one attempt.
  const [attempt] = attempts as DeliveryState["attempts"];
  const result = attempt === undefined ? "no response yet" : (attempt.status ?? attempt.error);
  return `${String(id)}: ${result ?? "no response"}`;
}
