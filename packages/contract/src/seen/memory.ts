import { markerOf, type Exchange } from "../record/exchange.ts";
import { isEnd } from "../submission.ts";
import { fieldProblems, requestProblems } from "../wire/document.ts";
import { elementsOf, fieldsOf, type Fields } from "../wire/response.ts";
import { Balances } from "./balances.ts";
import { rebuilt } from "./rebuilt.ts";
import {
  isPack,
  isPurchase,
  isSubmit,
  lengthOf,
  limitAlone,
  refusal,
  sentType,
  type Seen,
  type SeenJob,
} from "./seen.ts";

/** First submission with an idempotency key, or the first one that was accepted. */
export interface SeenSubmission {
  readonly sent: Fields;
  readonly status: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly jobId: unknown;
  readonly jobStatus: unknown;
}

/** Jobs and idempotency keys that are kept. Older ones are forgotten, so that memory is bounded. */
const maxKept = 20_000;

export class Memory {
  readonly jobs = new Map<string, SeenJob>();
  readonly submissions = new Map<string, SeenSubmission>();
  readonly cursors = new Set<string>();
  readonly balances = new Balances();
  readonly readers = new Set<string>();
  refusesLimits = false;
  fieldStatus: number | undefined;

  job(seen: Seen): SeenJob | undefined {
    const id = seen.got["job_id"] ?? /\/(job_\w+)$/.exec(seen.pathname)?.[1];
    return typeof id === "string" ? this.jobs.get(id) : undefined;
  }

  first(seen: Seen): SeenSubmission | undefined {
    const name = submissionName(seen.exchange);
    return name === undefined ? undefined : this.submissions.get(name);
  }

  add(seen: Seen): void {
    const { got, status, key } = seen;
    const isNew = this.job(seen) === undefined;
    if (typeof got["next_cursor"] === "string") keep(this.cursors, got["next_cursor"]);
    const jobId = got["job_id"];
    if (status === 200 && typeof jobId === "string") this.#addJob(jobId, seen);
    const isRead = status === 200 && seen.exchange.method === "GET";
    const hasJob = typeof jobId === "string" || elementsOf(got["jobs"]).length > 0;
    if (key !== null && isRead && hasJob) keep(this.readers, key);
    if ((limitAlone(seen) ?? 0) > 100 && refusal(seen)) this.refusesLimits = true;
    this.fieldStatus ??= fieldStatus(seen);
    this.balances.add(seen, this.job(seen), isNew);
    this.#addSubmission(seen);
  }

  #addSubmission(seen: Seen): void {
    const { got, sent, status } = seen;
    const name = submissionName(seen.exchange);
    if (name === undefined || !isSubmit(seen)) return;
    const known = this.submissions.get(name);
    if (known !== undefined && (known.status === 200 || status !== 200)) return;
    if (this.submissions.size >= maxKept) forgetFirst(this.submissions);
    this.submissions.set(name, {
      sent,
      status,
      sentAt: seen.sentAt,
      answeredAt: seen.answeredAt,
      jobId: got["job_id"],
      jobStatus: got["status"],
    });
  }

  #addJob(jobId: string, seen: Seen): void {
    const { got, sent, key, sentAt, answeredAt, headers } = seen;
    const isNew = isSubmit(seen) && headers["idempotent-replayed"] !== "true";
    let job = this.jobs.get(jobId);
    if (job === undefined) {
      if (this.jobs.size >= maxKept) forgetFirst(this.jobs);
      job = {
        key,
        // The age of a job is unknown without times.
        submittedAt: isNew && seen.exchange.isUntimed !== true ? sentAt : undefined,
        size: isSubmit(seen) ? sizeOf(sent) : undefined,
        hasSeed: isSubmit(seen) ? (sent["seed"] ?? null) !== null : undefined,
        cost: undefined,
        isTest: (key ?? "").startsWith("test-") || got["test_mode"] === true,
      };
      this.jobs.set(jobId, job);
    }
    if (typeof got["cost_credits"] === "number") job.cost ??= got["cost_credits"];
    if (!isEnd(got["status"]) || job.ended) return;
    const blocked = got["error_message"] === "content_blocked";
    job.ended = { at: answeredAt, status: got["status"], blocked };
  }
}

export function fieldStatus(seen: Seen): number | undefined {
  const { status, got, sent } = seen;
  const { body } = seen.exchange.request;
  const isObject = markerOf(body) === undefined && fieldsOf(body) === body;
  if (sentType(seen) !== "application/json" || !isObject) return undefined;
  if (status !== 400 && status !== 422) return undefined;
  // A list of problems is only of fields. A text can be of images.
  if (isSubmit(seen)) {
    const isOfFields = status === 422 && Array.isArray(got["detail"]);
    return isOfFields || breaksSchema(sent, fieldProblems) ? status : undefined;
  }
  const { pack_slug: slug, shared_payment_granted_token: token } = sent;
  return isPurchase(seen) && isPack(slug) && token === undefined ? status : undefined;
}

/** If true, each deployment refuses a submission, or a field of it. Some accept other types, or more metadata. */
export function breaksSchema(sent: Fields, problemsOf = requestProblems): boolean {
  const isWait = typeof sent["wait"] === "boolean";
  const isSeed = lengthOf(sent["seed"]) === undefined;
  const kept = Object.entries(sent).filter(
    ([name]) => name !== "metadata" && (name !== "wait" || isWait) && (name !== "seed" || isSeed),
  );
  return problemsOf(rebuilt(Object.fromEntries(kept))).length > 0;
}

export function sizeOf(sent: Fields): string | undefined {
  const size = sent["output_size"] ?? sent["resolution"] ?? sent["size"] ?? "1K";
  return typeof size === "string" ? size.toUpperCase() : undefined;
}

export function submissionName({ key, request }: Exchange): string | undefined {
  const name = request.headers["idempotency-key"];
  return name === undefined ? undefined : `${key} ${name}`;
}

function keep(set: Set<string>, value: string): void {
  const [first] = set;
  if (set.size >= maxKept && first !== undefined) set.delete(first);
  set.add(value);
}

function forgetFirst(map: Map<string, unknown>): void {
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}
