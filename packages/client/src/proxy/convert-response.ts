import { isJobId } from "../api/api.ts";
import type { Fields } from "../api/canonical-fields.ts";
import type { Redact } from "../errors/redact.ts";
import { readFieldIssues } from "../http/explain-outcome.ts";
import { failureCode, type Outcome } from "../http/outcome-table.ts";
import type { HttpResponse } from "../http/http-request.ts";
import type { ProxyCall, ProxyKind, ProxyRequest } from "./options.ts";
import type { ProxySettings } from "./resolve-options.ts";

const jobFields =
  "job_id status result_url result_width result_height result_bytes result_content_type cost_credits credits_remaining " +
  "seed metadata test_mode error_code error_message message duration_ms created_at completed_at";
const accountFields = "name credits_remaining rate_limit_per_min total_calls tryon_cost_credits";
const purchaseFields =
  "payment_intent_id status pack_slug credits_added credits_remaining next_action";
const objectFields = new Set(["metadata", "next_action"]);

export const userTagField = "_tryon_user";

export async function convertContent(
  content: unknown,
  { kind, user: { id } }: ProxyCall,
  redact: Redact,
  settings: ProxySettings,
  jobId?: string,
): Promise<Fields | undefined> {
  if (kind === "account") return pickFields(content, accountFields);
  if (kind === "purchase") return pickFields(content, purchaseFields);
  if (kind !== "list") return toUserJob(content, id, redact, settings, jobId);
  const { jobs, next_cursor: next }: { jobs?: unknown; next_cursor?: unknown } = Object(content);
  if (!Array.isArray(jobs)) return undefined;
  const { signer } = settings;
  const own = await jobsOfUser(content, id, settings);
  const converted = await Promise.all(own.map((job) => toUserJob(job, id, redact, settings)));
  return {
    jobs: converted.filter((job) => job !== undefined),
    next_cursor: typeof next === "string" ? await signer.signId("cursor", id, next) : null,
  };
}

/** Returns the jobs of a user in a response: those of a list, which has jobs of all users of the API key, or the only one. */
export async function jobsOfUser(
  content: unknown,
  userId: string,
  { signer }: ProxySettings,
): Promise<readonly unknown[]> {
  const { jobs }: { jobs?: unknown } = Object(content);
  if (!Array.isArray(jobs)) return [content];
  const tag = await signer.userTag(userId);
  return jobs.filter((job) => Object(Object(job).metadata)[userTagField] === tag);
}

function pickFields(content: unknown, names: string): Fields | undefined {
  if (!isObject(content)) return undefined;
  const picked: Fields = {};
  for (const name of names.split(" ")) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (!isObject(value) || objectFields.has(name)) picked[name] = value;
    else if (name === "tryon_cost_credits") picked[name] = pickFields(value, "1K 2K 4K");
  }
  return picked;
}

/**
 * Converts a job for its user: with the fields that the user may see, under an id that is signed for the user. The image
 * URL is unchanged, even if it contains the service's own id: that id is of no use without the API key. Returns undefined
 * for content other than a job, or than the requested one.
 */
async function toUserJob(
  content: unknown,
  userId: string,
  redact: Redact,
  { exposeCredits, fields, signer }: ProxySettings,
  requestedId?: string,
): Promise<Fields | undefined> {
  const job = pickFields(content, jobFields) ?? {};
  const { job_id: id, result_url, cost_credits, credits_remaining, metadata, ...rest } = job;
  if (!isJobId(id) || typeof rest["status"] !== "string" || id !== (requestedId ?? id)) {
    return undefined;
  }
  const signedId = await signer.signId("job", userId, id);
  for (const [name, value] of Object.entries(rest)) {
    // The service can repeat parts of its request.
    if (typeof value === "string") rest[name] = redact(value).replaceAll(id, signedId);
  }
  return {
    ...rest,
    job_id: signedId,
    result_url,
    ...(exposeCredits && { cost_credits, credits_remaining }),
    ...(fields.includes("metadata") && { metadata: withoutUserTag(metadata) }),
  };
}

export function withoutUserTag(metadata: unknown): unknown {
  if (!isObject(metadata)) return metadata;
  const { [userTagField]: tag, ...rest } = metadata;
  return tag !== undefined && Object.keys(rest).length === 0 ? null : rest;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

export interface RequestIssue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

export function isAborted({ signal }: ProxyRequest): boolean {
  return signal?.aborted === true;
}

type ResponseHeaders = Readonly<Record<string, string>>;

export function jsonResponse(status: number, body: unknown, headers?: ResponseHeaders): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

export function errorResponse(
  status: number,
  detail: string | readonly RequestIssue[],
  headers?: ResponseHeaders,
): Response {
  return jsonResponse(status, { detail }, headers);
}

export const jobNotFound = "Job not found.";

const unavailable = "Try-ons are unavailable at the moment.";

const advice: Readonly<Record<number, string>> = {
  401: "Check apiKey (TRYON_API_KEY).",
  402: "Buy credits.",
  403: "Check the key on the provider's dashboard. A polled job can also belong to an earlier key.",
  429: "Try again later.",
  500: "Try again later.",
};

/**
 * Maps an error of the service to a response for the user, and reports those that the user cannot fix. The response is a
 * 4xx only if the service itself rejected the request, or any server did with 413: to the client, a 4xx proves that
 * nothing happened. Other outcomes become a 5xx.
 */
export function mapErrorResponse(
  outcome: Outcome,
  kind: ProxyKind,
  redact: Redact,
  report: (message: string) => void,
): Response {
  const { response } = outcome;
  if (response === undefined) {
    const isTimeout = outcome.failure === "timed_out";
    // Only the code or message: errors of `fetch` can contain the whole request with its key.
    const { message = "" } = Object(outcome.cause) as { message?: unknown };
    const reason = redact(failureCode(outcome.cause)) || redact(message) || "unknown reason";
    report(
      `The service sent no response${isTimeout ? " in time" : ""} (${reason}). Check baseUrl (TRYON_BASE_URL) and the network.`,
    );
    return errorResponse(isTimeout ? 504 : 502, unavailable);
  }
  const { status, content, redirect } = response;
  const { detail } = Object(content) as { detail?: unknown };
  const text = typeof detail === "string" ? redact(detail) : undefined;
  const issues = readFieldIssues(detail, redact)?.map(
    ({ field, message: msg, type = "value_error" }): RequestIssue => {
      return { loc: ["body", ...field.split(".")], msg, type };
    },
  );
  const headers = responseHeaders(response);
  if (status === 404 && kind === "get") return errorResponse(404, jobNotFound);
  if (status === 413) return errorResponse(413, "The body is larger than the service accepts.");
  if (status === 422 && issues) return errorResponse(422, issues, headers);
  if (text !== undefined) {
    if (status === 429) return errorResponse(429, "Too many requests.", headers);
    const isUserError = [400, 409, 422].includes(status) || (status === 402 && kind === "purchase");
    if (isUserError) return errorResponse(status, text, headers);
  }
  const hint = redirect
    ? "Set baseUrl to the target of the redirect; the proxy does not follow it."
    : (advice[Math.min(status, 500)] ?? "Check baseUrl (TRYON_BASE_URL).");
  report(`The service responded with ${status}: ${text ?? "no detail."} ${hint}`);
  // Users must not learn the cause: the key can be wrong, locked or without credits.
  const mapped = status in advice ? 503 : status === 408 ? 504 : 502;
  // A retry would upload the images again, and fail until credits are bought.
  const retryable = status === 402 ? false : undefined;
  return jsonResponse(status < 500 ? mapped : status, { detail: unavailable, retryable }, headers);
}

const passedHeaders = "idempotent-replayed x-request-id";

/** Picks the response headers for the user; rate limit headers are left out because they describe the API key. */
export function responseHeaders({ headers, requestedDelay }: HttpResponse): ResponseHeaders {
  // Seconds in any case: a client would compare a date with a clock other than the service's.
  const picked: Record<string, string> =
    requestedDelay === undefined ? {} : { "retry-after": `${Math.ceil(requestedDelay / 1_000)}` };
  for (const name of passedHeaders.split(" ")) {
    const value = headers.get(name) ?? "";
    if (/^[\w.:/-]{1,128}$/.test(value)) picked[name] = value;
  }
  return picked;
}

export function isJsonObject(value: unknown): value is Fields {
  return isObject(value) && !Array.isArray(value);
}
