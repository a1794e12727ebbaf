import type { DeliveryState, State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { action, card, empty, jobLink, pill } from "./parts.ts";
import { command } from "./server.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { amount, counted, dateTime, duration, fromNow, timeOfDay } from "./words.ts";

const repetitions = [
  ["replay", "Replay", "Send the same bytes once more"],
  ["duplicate", "Duplicate", "Deliver the same event a second time, with retries"],
  ["tamper", "Tamper", "Send a changed body under the old signature"],
] as const;

const stateWords = { pending: "pending", delivered: "delivered", "given-up": "given up" } as const;

/** The newest webhooks of all jobs. */
export function deliveriesPart(desk: PageModel, state: State): Shape {
  const { total, latest } = state.deliveries;
  return card(
    "deliveries",
    "Webhooks",
    h("span", { class: "count" }, amount(total)),
    latest.length > 0
      ? h(
          "ul",
          { key: "rows", class: "rows" },
          latest.map((delivery) =>
            h(
              "li",
              { key: `${state.epoch} ${delivery.delivery_id}` },
              deliveryRow(desk, state, delivery),
            ),
          ),
        )
      : empty("No webhooks yet.", "A job with a webhook address sends one when it ends."),
    latest.length < total &&
      h("p", { key: "more", class: "more" }, `The newest ${latest.length} of ${amount(total)}.`),
  );
}

/** One delivery, which opens to its attempts. */
export function deliveryRow(desk: PageModel, { now }: State, delivery: DeliveryState): Shape {
  const { attempts, cause, repeats } = delivery;
  const last = attempts.at(-1);
  const when = delivery.next_attempt_at ?? last?.at;
  return h(
    "details",
    { class: "delivery" },
    h(
      "summary",
      {},
      pill(delivery.state, stateWords[delivery.state]),
      h("span", { class: "url mono", title: delivery.url }, delivery.url),
      cause !== "job" && h("span", { class: "tag" }, cause),
      h(
        "span",
        { class: "dots", role: "img", "aria-label": counted(attempts.length, "attempt") },
        attempts.map(dot),
      ),
      h("time", {}, when === undefined ? "" : fromNow(when, now)),
    ),
    h(
      "div",
      { class: "inside" },
      h(
        "p",
        { class: "facts" },
        h("span", { class: "mono" }, delivery.delivery_id),
        " for job ",
        jobLink(delivery.job_id),
        repeats !== null && [`, a ${cause} of `, h("span", { class: "mono" }, repeats)],
      ),
      attemptTable(delivery, now),
      h(
        "div",
        { class: "buttons" },
        repetitions.map(([kind, text, title]) =>
          action(
            desk,
            { name: `${kind} ${delivery.delivery_id}`, text, title, class: "small" },
            () => repeat(kind, delivery.delivery_id),
          ),
        ),
      ),
    ),
  );
}

function dot({ status, error }: DeliveryState["attempts"][number]): Child {
  const good = status !== null && status >= 200 && status < 300;
  const title = String(status ?? error ?? "no answer");
  return h("i", { class: good ? "good" : "bad", title });
}

function attemptTable({ attempts, next_attempt_at: next }: DeliveryState, now: number): Child {
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "Attempt"),
        h("th", { scope: "col" }, "At"),
        h("th", { scope: "col" }, "Answer"),
        h("th", { scope: "col", class: "number" }, "Took"),
      ),
    ),
    h(
      "tbody",
      {},
      attempts.map(({ at, status, ms, error }, index) =>
        h(
          "tr",
          {},
          h("td", {}, String(index + 1)),
          h("td", { class: "mono", title: `${dateTime(at)} UTC` }, timeOfDay(at)),
          h("td", {}, status === null ? (error ?? "none") : String(status)),
          h("td", { class: "number" }, duration(ms)),
        ),
      ),
      next !== null &&
        h(
          "tr",
          { key: "next", class: "coming" },
          h("td", {}, String(attempts.length + 1)),
          h("td", { class: "mono" }, timeOfDay(next)),
          h("td", {}, `due ${fromNow(next, now)}`),
          h("td", {}),
        ),
    ),
  );
}

async function repeat(kind: string, deliveryId: string): Promise<string> {
  const { delivery_id, attempts } = await command(
    `deliveries/${encodeURIComponent(deliveryId)}/${kind}`,
  );
  // The answer is a delivery; of its attempts only the first can be there.
  const [first] = (attempts ?? []) as DeliveryState["attempts"];
  const answer =
    first === undefined ? "not answered yet" : (first.status ?? first.error ?? "no answer");
  return `${String(delivery_id)}: ${answer}.`;
}
