import type { ChosenJob, State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { deliveryRow } from "./deliveries-part.ts";
import { courseWords, imageUrl, timeLine, waitedInQueue } from "./jobs-part.ts";
import { copyButton, pill } from "./parts.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { amount, bytes, dateTime, duration, timeOfDay } from "./words.ts";

/** Everything that is known of one job; its id stands in the address of the page, so that it can be linked to. */
export function jobDialog(desk: PageModel, close: () => void): readonly Shape[] {
  const { state, chosenId } = desk;
  const job = state?.chosen;
  const title = h("h2", { id: "job-title", class: "mono" }, chosenId);
  const closing = h(
    "button",
    { type: "button", class: "close", "aria-label": "Close", on: { click: close } },
    "×",
  );
  if (state === undefined || job === null || job === undefined || job.job_id !== chosenId) {
    const waiting = state === undefined || job !== null;
    const text = waiting ? "Looking…" : "There is no such job, or no more.";
    return [
      h("div", { class: "dialog-head" }, title, closing),
      h("div", { class: "empty" }, h("p", {}, text)),
    ];
  }
  const head = h(
    "div",
    { class: "dialog-head" },
    h(
      "div",
      { class: "grow" },
      title,
      h("div", { class: "under" }, pill(job.status), copyButton(desk, chosenId, "id")),
    ),
    closing,
  );
  const body = h(
    "div",
    { class: "dialog-body" },
    image(desk, state, job),
    h(
      "div",
      { class: "about" },
      steps(job, state.now),
      facts(job),
      sent(job),
      webhooks(desk, state, job),
    ),
  );
  return [head, body];
}

function image(desk: PageModel, { epoch }: State, job: ChosenJob): Child {
  if (job.result === null) {
    const words = job.status === "failed" ? "No image: the job failed." : "No image yet.";
    return h(
      "div",
      { key: "none", class: "image none" },
      h("p", {}, job.status === "succeeded" ? "The image was purged." : words),
    );
  }
  const src = imageUrl(desk, epoch, job.job_id);
  const { width, height } = job.result;
  return h(
    "figure",
    { key: src, class: "image" },
    h("img", { src, width, height, alt: "Result of the try-on" }),
    h(
      "figcaption",
      {},
      `${width} × ${height} · ${bytes(job.result.bytes)} · `,
      h("a", { href: src, target: "_blank", rel: "noopener" }, "open"),
    ),
  );
}

/** What happened when. */
function steps(job: ChosenJob, now: number): Child {
  const past: [name: string, at: number, mark: string][] = [["Submitted", job.created_at, "quiet"]];
  if (waitedInQueue(job) > 0 && job.started_at !== null)
    past.push(["Started", job.started_at, "busy"]);
  if (job.completed_at !== null) {
    const good = job.status === "succeeded";
    past.push([good ? "Succeeded" : "Failed", job.completed_at, good ? "good" : "bad"]);
  }
  return h(
    "div",
    { class: "steps-of-job" },
    timeLine(job, now),
    h("p", { class: "facts" }, courseWords(job, now)),
    h(
      "ol",
      {},
      past.map(([name, at, mark]) =>
        h(
          "li",
          { class: mark },
          h("span", {}, name),
          h("time", { class: "mono", title: `${dateTime(at)} UTC` }, timeOfDay(at)),
          h(
            "span",
            { class: "facts" },
            at === job.created_at && name === "Submitted"
              ? dateTime(at).slice(0, 10)
              : `+${duration(at - job.created_at)}`,
          ),
        ),
      ),
    ),
  );
}

function facts(job: ChosenJob): Child {
  const rows: readonly (readonly [name: string, value: Child])[] = [
    ["Cost", job.test_mode ? "nothing, test key" : `${amount(job.cost_credits)} credits`],
    ["Size", job.output_size],
    ["Key", h("span", { class: "mono" }, job.api_key)],
    [
      "Error",
      job.error_code === null
        ? undefined
        : h("span", { class: "mono" }, `${job.error_code}: ${job.error_message ?? ""}`),
    ],
    ["Seed", job.seed === null ? undefined : String(job.seed)],
    [
      "Webhook",
      job.webhook_url === null ? undefined : h("span", { class: "mono" }, job.webhook_url),
    ],
  ];
  return h(
    "dl",
    {},
    rows.map(
      ([name, value]) =>
        value !== undefined && h("div", { key: name }, h("dt", {}, name), h("dd", {}, value)),
    ),
  );
}

/** The caller's own words and data. */
function sent({ prompt, instruction, metadata }: ChosenJob): Child {
  return [
    prompt !== null &&
      h(
        "div",
        { key: "prompt", class: "block" },
        h("h3", {}, "Prompt"),
        h("p", { class: "words" }, prompt),
      ),
    metadata !== null &&
      h(
        "div",
        { key: "metadata", class: "block" },
        h("h3", {}, "Metadata"),
        h("pre", {}, JSON.stringify(metadata, null, 2)),
      ),
    instruction !== null &&
      h(
        "details",
        { key: "instruction", class: "block" },
        h("summary", {}, "What the model was told"),
        h("p", { class: "words" }, instruction),
      ),
  ];
}

function webhooks(desk: PageModel, state: State, job: ChosenJob): Child {
  if (job.deliveries.length === 0) return undefined;
  const rows = job.deliveries.map((delivery) =>
    h("li", { key: delivery.delivery_id }, deliveryRow(desk, state, delivery)),
  );
  return h(
    "div",
    { key: "webhooks", class: "block" },
    h("h3", {}, "Webhooks"),
    h("ul", { class: "rows" }, rows),
  );
}
