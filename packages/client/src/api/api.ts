import { maxSyncWait } from "../config/options.ts";
import type { paths, PurchaseWithSPTRequest } from "../generated/openapi.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import type { CallContext, HttpRequest, SubmissionBody } from "../http/http-request.ts";
import { responseError } from "../http/response-error.ts";
import type { HttpResponse } from "../http/response.ts";
import { sendWithRetries, type HttpContext } from "../http/send-with-retries.ts";
import type { Responded } from "./call.ts";

/** Part of the call that its caller knows. */
type Caller = Pick<CallContext, "deadline" | "onRetry">;

/** Call of a request. */
interface Sender extends Omit<CallContext, "attemptLog"> {
  /** Earlier attempts of the same request. */
  readonly attemptLog?: AttemptLog | undefined;
  /** If true, the service responds when the job has ended, or after 90 seconds. */
  readonly sync?: boolean | undefined;
}

/** Submission as it is sent. */
interface Submission extends NonNullable<CallContext["submission"]> {
  readonly body: SubmissionBody;
  /** If true, the service responds when the job has ended, or after 90 seconds. */
  readonly sync: boolean;
  /** Attempts of this submission, also those of earlier calls. */
  readonly attemptLog: AttemptLog;
}

type Method = "get" | "post";
/** Endpoint of the contract. */
type Operation<Path extends keyof paths, Verb extends Method> = NonNullable<paths[Path][Verb]>;
/** Content of a response with status 200. */
type Content<Of> = Of extends {
  responses: { 200: { content: { "application/json": infer Data } } };
}
  ? Data
  : never;
type ListQuery = NonNullable<Operation<"/api/v1/tryon", "get">["parameters"]["query"]>;

/** Optional parts of a request. */
interface Parts extends Pick<CallContext, "purpose"> {
  readonly id?: string;
  readonly query?: object;
  readonly body?: SubmissionBody;
  readonly submission?: Submission;
}

/** Endpoints of the service, typed by its contract. Each checks the shape of a successful response. */
export class Api {
  readonly http: HttpContext;

  constructor(http: HttpContext) {
    this.http = http;
  }

  submitTryOn(submission: Submission, caller: Caller) {
    const { body } = submission;
    const parts = { purpose: "submit", body, submission } as const;
    return this.#request("post", "/api/v1/tryon", isJob, caller, parts);
  }

  getJob(id: string, caller: Caller) {
    const isRequested = (json: unknown): boolean => isJob(json) && json.job_id === id;
    return this.#request("get", "/api/v1/tryon/{job_id}", isRequested, caller, { id });
  }

  listJobs(query: ListQuery, caller: Caller) {
    return this.#request("get", "/api/v1/tryon", isJobList, caller, { query });
  }

  async getAccount(caller: Caller) {
    const account = await this.#request("get", "/api/v1/account", isObject, caller);
    const { rate_limit_per_min: limit } = account.data;
    if (limit > 0) this.http.rateLimiter.limit = limit;
    return account;
  }

  purchaseCredits(request: PurchaseWithSPTRequest, caller: Caller) {
    const parts = { purpose: "purchase", body: JSON.stringify(request) } as const;
    return this.#request("post", "/api/v1/credits/purchase", isObject, caller, parts);
  }

  async #request<Path extends keyof paths, Verb extends Method>(
    verb: Verb,
    path: Path,
    accepts: (content: unknown) => boolean,
    caller: Caller,
    { purpose = "read", id = "", query, body, submission }: Parts = {},
  ): Promise<Responded<Content<Operation<Path, Verb>>>> {
    // Values of queries are numbers and strings.
    const search = query && new URLSearchParams(query as Record<string, string>).toString();
    const method = verb.toUpperCase();
    const pathname = path.replace("{job_id}", id);
    const url = `${this.http.config.baseUrl}${pathname}${search ? `?${search}` : ""}`;
    const headers: Record<string, string> = { Accept: "application/json" };
    if (body) headers["Content-Type"] = "application/json";
    if (submission) headers["Idempotency-Key"] = submission.idempotencyKey;
    const name = `${method} ${pathname}`;
    const { attemptLog, sync } = submission ?? {};
    const response = await this.send(
      { method, url, headers, body },
      { ...caller, name, purpose, submission, attemptLog, sync },
      (received) => received.response.ok && accepts(received.content),
    );
    // `accepts` has checked the fields that the client needs. The contract has the rest of the type.
    return { data: response.content as Content<Operation<Path, Verb>>, response };
  }

  /** Sends a request with retries. Returns a response that `accepts` accepts, and throws the error of any other outcome. */
  async send(
    request: Omit<HttpRequest, "timeout">,
    { sync, attemptLog = new AttemptLog(), ...sender }: Sender,
    accepts: (response: HttpResponse) => boolean,
  ): Promise<HttpResponse> {
    const { config } = this.http;
    const timeout = config.attemptTimeout + (sync ? maxSyncWait : 0);
    const call = { ...sender, attemptLog };
    const outcome = await sendWithRetries(this.http, { ...request, timeout }, call);
    const { response } = outcome;
    if (!response || !accepts(response)) throw responseError(outcome, call, config);
    return response;
  }
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function isJob(json: unknown): json is { readonly job_id: string } {
  return isObject(json) && isJobId(json["job_id"]) && typeof json["status"] === "string";
}

function isJobList(json: unknown): boolean {
  return isObject(json) && Array.isArray(json["jobs"]) && json["jobs"].every(isJob);
}

/** Returns true for a job id. No other text may become part of the path of a request. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && /^job_[a-zA-Z0-9]+$/.test(id);
}
