import type { JobState, State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { card, empty, pill } from "./parts.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { amount, dateTime, duration, fromNow } from "./words.ts";

const statuses = ["queued", "running", "succeeded", "failed"] as const;
const filterWords = {
  queued: "Queued",
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
} as const;

/** The newest jobs of all keys. */
export function jobsPart(desk: PageModel, state: State): Shape {
  const { counts, latest } = state.jobs;
  const total = statuses.reduce((sum, status) => sum + counts[status], 0);
  const matching = statuses.find((status) => status === desk.status);
  const of = matching === undefined ? total : counts[matching];
  const rows = latest.map((job) => jobRow(desk, state, job));
  return card(
    "jobs",
    "Jobs",
    h(
      "div",
      { class: "filters", role: "group", "aria-label": "Show jobs by status" },
      filter(desk, "", "All", total),
      statuses.map((status) => filter(desk, status, filterWords[status], counts[status])),
    ),
    rows.length > 0
      ? h("ul", { key: "rows", class: "rows" }, rows)
      : empty(
          total === 0 ? "No jobs yet." : `No job is ${desk.status} now.`,
          total === 0 ? "Submit one here, or point your app at this server." : undefined,
        ),
    rows.length > 0 &&
      rows.length < of &&
      h("p", { key: "more", class: "more" }, `The newest ${rows.length} of ${amount(of)}.`),
  );
}

function filter(desk: PageModel, status: string, text: string, count: number): Shape {
  const choose = (): void => {
    desk.status = status;
    desk.render();
    void desk.look();
  };
  const pressed = desk.status === status ? "true" : "false";
  return h(
    "button",
    { key: text, type: "button", "aria-pressed": pressed, on: { click: choose } },
    text,
    h("span", { class: "count" }, amount(count)),
  );
}

function jobRow(desk: PageModel, { now, epoch }: State, job: JobState): Shape {
  const facts = [
    job.output_size,
    job.test_mode ? "test" : `${job.cost_credits} credits`,
    job.api_key,
  ];
  return h(
    "li",
    { key: `${epoch} ${job.job_id}` },
    h(
      "a",
      { class: "job", href: `#${job.job_id}` },
      thumbnail(desk, epoch, job),
      h(
        "span",
        { class: "what" },
        h("span", { class: "mono id" }, job.job_id),
        h("span", { class: "facts" }, facts.join(" · ")),
      ),
      h(
        "span",
        { class: "course" },
        timeLine(job, now),
        h("span", { class: "facts" }, courseWords(job, now)),
      ),
      h(
        "span",
        { class: "standing" },
        pill(job.status),
        h("time", { title: `${dateTime(job.created_at)} UTC` }, fromNow(job.created_at, now)),
      ),
    ),
  );
}

/** The image of a job; `returns` and `epoch` are in its address since the same id may come to mean another. */
export function imageUrl(desk: PageModel, epoch: number, jobId: string): string {
  return `/__mock/images/${encodeURIComponent(jobId)}.png?of=${desk.returns}-${epoch}`;
}

function thumbnail(desk: PageModel, epoch: number, job: JobState): Shape {
  if (job.result === null)
    return h("span", { class: `thumb ${job.status}`, "aria-hidden": "true" });
  const src = imageUrl(desk, epoch, job.job_id);
  const size = { width: 48, height: 64, loading: "lazy", decoding: "async" };
  return h("span", { class: "thumb" }, h("img", { key: src, src, alt: "", ...size }));
}

/** How long a job waited and ran, as two parts of a line. */
export function timeLine(job: JobState, now: number): Shape {
  const end = job.completed_at ?? Math.max(now, job.due_at ?? now);
  const started = job.started_at ?? (job.status === "queued" ? end : job.created_at);
  const whole = Math.max(1, end - job.created_at);
  const until = (at: number): string => `${((at - job.created_at) / whole) * 100}%`;
  const endless = job.status === "running" && job.due_at === null;
  return h(
    "span",
    {
      class: `line ${job.status}${endless ? " endless" : ""}`,
      style: { "--waited": until(started), "--ran": until(Math.min(now, end)) },
      "aria-hidden": "true",
    },
    h("i", { class: "waited" }),
    h("i", { class: "ran" }),
  );
}

/** How long a job waited for its place. On a real clock a moment passes anyway, which is no waiting. */
export function waitedInQueue({ started_at: startedAt, created_at: createdAt }: JobState): number {
  const waited = (startedAt ?? createdAt) - createdAt;
  return waited < 20 ? 0 : waited;
}

/** What a line says of how far a job is. */
export function courseWords(job: JobState, now: number): Child {
  const started = job.started_at ?? job.created_at;
  const waited = waitedInQueue(job);
  const before = waited > 0 ? `after ${duration(waited)} in the queue` : "";
  if (job.status === "queued") return `waiting for ${duration(now - job.created_at)}`;
  if (job.status === "running") {
    if (job.due_at === null) return "no end in sight";
    return `${duration(now - started)} of ${duration(job.due_at - started)} ${before}`;
  }
  const length = duration((job.completed_at ?? started) - started);
  return job.status === "failed"
    ? `${job.error_message ?? "failed"}, ${length}`
    : `${length} ${before}`;
}
