import type { OptionValue } from "../check.ts";
import { markerOf, type Exchange } from "../record/exchange.ts";
import { isEnd } from "../submission.ts";
import { operationOf } from "../wire/document.ts";
import { fieldsOf, type Fields } from "../wire/response.ts";

/** Recorded exchange with a response, prepared for rules. */
export interface Seen {
  readonly exchange: Exchange;
  /** File and line, such as `session.ndjson:12`. */
  readonly place: string;
  /** Method and path template of the document, such as `GET /api/v1/tryon/{job_id}`, or undefined for another path. */
  readonly operation: string | undefined;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly key: string | null;
  readonly status: number;
  /** Fields of the body of the request. */
  readonly sent: Fields;
  /** Fields of the body of the response. */
  readonly got: Fields;
  /** Headers of the request and of the response, by name in lower case. */
  readonly requestHeaders: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Times of the client in milliseconds since 1970: before the request, and after the headers of the response. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** If true, the response is HTML. */
  readonly isHtml: boolean;
}

/** Prepares an exchange, or returns undefined for one without a response. */
export function seenOf(exchange: Exchange, place: string): Seen | undefined {
  const { request, response, method, path, at, key } = exchange;
  if (response === undefined) return undefined;
  const [pathname = "", search = ""] = path.split("?");
  const type = response.headers["content-type"] ?? "";
  return {
    exchange,
    place,
    operation: operationOf(method, pathname)?.title,
    pathname,
    query: new URLSearchParams(search),
    key,
    status: response.status,
    sent: fieldsOf(request.body),
    got: markerOf(response.body) ? {} : fieldsOf(response.body),
    requestHeaders: request.headers,
    headers: response.headers,
    sentAt: at,
    answeredAt: at + response.headersAfter,
    isHtml: type.startsWith("text/html"),
  };
}

export const submitOperation = "POST /api/v1/tryon";
export const pollOperation = "GET /api/v1/tryon/{job_id}";
export const listOperation = "GET /api/v1/tryon";

/** Length of a recorded text, or undefined for another value. A text in base64 has up to 2 characters more. */
export function lengthOf(value: unknown): number | undefined {
  if (typeof value === "string") return value.length;
  const marker = markerOf(value);
  if (marker === undefined) return undefined;
  if (marker.kind === "text") return marker.characters;
  return "sha256" in marker ? Math.ceil((marker.bytes * 4) / 3) : undefined;
}

/** Facts about a job. */
export interface SeenJob {
  readonly key: string | null;
  /** Time before its submission, or undefined if that was not recorded. */
  readonly submittedAt: number | undefined;
  readonly size: string | undefined;
  readonly hasSeed: boolean | undefined;
  /** Credits, or undefined until a response has them. */
  cost: number | undefined;
  readonly isTest: boolean;
  /** Time of the first response with its end, and that status. */
  ended?: { readonly at: number; readonly status: unknown; readonly blocked: boolean };
}

/** First submission with an idempotency key. */
export interface SeenSubmission {
  readonly body: string;
  readonly status: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly jobId: unknown;
  readonly jobStatus: unknown;
}

/** Jobs and idempotency keys that are kept. Older ones are forgotten, so that memory is bounded. */
const maxKept = 20_000;

/** Facts of earlier exchanges. */
export class Memory {
  readonly jobs = new Map<string, SeenJob>();
  readonly submissions = new Map<string, SeenSubmission>();
  readonly cursors = new Set<string>();

  job(seen: Seen): SeenJob | undefined {
    const id = seen.got["job_id"] ?? /\/(job_\w+)$/.exec(seen.pathname)?.[1];
    return typeof id === "string" ? this.jobs.get(id) : undefined;
  }

  /** First submission with the same idempotency key. */
  first(seen: Seen): SeenSubmission | undefined {
    const name = submissionName(seen);
    return name === undefined ? undefined : this.submissions.get(name);
  }

  /** Adds the facts of an exchange. */
  add(seen: Seen): void {
    const { got, sent, operation, status } = seen;
    if (typeof got["next_cursor"] === "string") keep(this.cursors, got["next_cursor"]);
    const jobId = got["job_id"];
    if (status === 200 && typeof jobId === "string") this.#addJob(jobId, seen);
    const name = submissionName(seen);
    if (name === undefined || operation !== submitOperation || this.submissions.has(name)) return;
    if (this.submissions.size >= maxKept) forgetFirst(this.submissions);
    this.submissions.set(name, {
      body: JSON.stringify(sent),
      status,
      sentAt: seen.sentAt,
      answeredAt: seen.answeredAt,
      jobId,
      jobStatus: got["status"],
    });
  }

  #addJob(jobId: string, { got, sent, key, operation, sentAt, answeredAt }: Seen): void {
    const isSubmit = operation === submitOperation;
    let job = this.jobs.get(jobId);
    if (job === undefined) {
      if (this.jobs.size >= maxKept) forgetFirst(this.jobs);
      job = {
        key,
        submittedAt: isSubmit ? sentAt : undefined,
        size: isSubmit ? sizeOf(sent) : undefined,
        hasSeed: isSubmit ? sent["seed"] !== undefined && sent["seed"] !== null : undefined,
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

/** Size of a submission, or undefined for one that is not valid. */
export function sizeOf(sent: Fields): string | undefined {
  const size = sent["output_size"] ?? sent["resolution"] ?? sent["size"] ?? "1K";
  return typeof size === "string" ? size.toUpperCase() : undefined;
}

function submissionName({ key, requestHeaders }: Seen): string | undefined {
  const name = requestHeaders["idempotency-key"];
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

/** Values of an option that an exchange allows, or undefined if it says nothing about it. */
export type Evidence = readonly OptionValue[] | undefined;

/** Returns the evidence of one exchange, given those before it. */
export type Watch = (seen: Seen, memory: Memory) => Evidence;
