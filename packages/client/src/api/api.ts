import { isPage } from "#page";

import { maxSyncWait } from "../config/options.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import type { HttpRequest, HttpResponse, SubmissionBody } from "../http/http-request.ts";
import { responseError } from "../http/response-error.ts";
import { sendWithRetries, type CallContext, type HttpContext } from "../http/send-with-retries.ts";
import type { RateLimit } from "../types/attempt.ts";
import type { JobData } from "../types/job.ts";
import { isRecord } from "./canonical-fields.ts";

/** Result of a call, and the response of the service. */
export interface WithResponse<Data> {
  /** Result that the promise of the call resolves to. */
  readonly data: Data;
  /** Response, with its body read. */
  readonly response: Response;
  /** `x-request-id` of the response. */
  readonly requestId?: string | undefined;
  /** Rate limit from the headers of the response. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Promise of a call's result. */
export interface Call<Data> extends Promise<Data> {
  /**
   * Returns the result with the response of the service. For `run`, that is the response to the submission.
   *
   * @example
   * const { data, requestId } = await tryon.account.get().withResponse();
   */
  withResponse(): Promise<WithResponse<Data>>;
}

export interface Responded<Data> {
  readonly data: Data;
  readonly response: HttpResponse;
}

export type Caller = Pick<CallContext, "deadline" | "onRetry" | "isOver" | "isPoll">;

interface NamedRequest extends Omit<HttpRequest, "timeout"> {
  readonly name: string;
}

interface ServiceCall extends Omit<CallContext, "name" | "attemptLog"> {
  readonly attemptLog?: AttemptLog | undefined;
}

interface Submission
  extends NonNullable<CallContext["submission"]>, Pick<HttpRequest, "onProgress"> {
  readonly body: SubmissionBody;
  readonly fingerprint?: string | undefined;
  readonly sync: boolean;
  readonly attemptLog: AttemptLog;
}

export class Api {
  readonly http: HttpContext;

  constructor(http: HttpContext) {
    this.http = http;
  }

  submitTryOn(submission: Submission, caller: Caller) {
    const { body, sync, attemptLog, idempotencyKey, fingerprint, recover, onProgress } = submission;
    const request = { ...this.request("POST /api/v1/tryon", body), onProgress };
    request.headers["Idempotency-Key"] = idempotencyKey;
    if (fingerprint) request.headers["If-Match"] = `"${fingerprint}"`;
    const context = { submission: { idempotencyKey, recover }, sync, attemptLog };
    const call = { ...caller, ...context, purpose: "submit" } as const;
    return this.send<JobData>(request, call, isJob);
  }

  getJob(id: string, caller: Caller) {
    const isRequested = (json: unknown): boolean => isJob(json) && json.job_id === id;
    return this.send<JobData>(this.request(`GET /api/v1/tryon/${id}`), caller, isRequested);
  }

  async getFingerprint(caller: Caller): Promise<string | undefined> {
    const request = this.request("GET /api/v1/key");
    const call = this.send<{ fingerprint?: unknown }>(request, caller, isRecord);
    const sent = await call.catch((error: unknown) => {
      // A proxy of an earlier release has none.
      if (!isTryOnError(error, "not_found")) throw error;
    });
    const fingerprint = sent?.data.fingerprint;
    return typeof fingerprint === "string" ? fingerprint : undefined;
  }

  /**
   * Sends a request with retries. Returns a response that `accepts` accepts, and throws the error of any other outcome.
   *
   * @param accepts - Checks the content of a response with a 2xx status. By default, any response but a redirect is accepted.
   */
  async send<Data>(
    request: NamedRequest,
    { attemptLog = new AttemptLog(), purpose = "read", ...rest }: ServiceCall,
    accepts?: (content: unknown) => boolean,
  ): Promise<Responded<Data>> {
    const { config } = this.http;
    const timeout = config.attemptTimeout + (rest.sync ? maxSyncWait : 0);
    const call = { ...rest, purpose, attemptLog, name: request.name };
    const outcome = await sendWithRetries(this.http, { ...request, timeout }, call);
    const { response } = outcome;
    const isAccepted = accepts
      ? response?.response.ok && accepts(response.content)
      : !response?.redirect;
    if (!response || !isAccepted) throw await responseError(outcome, call, this.http);
    // `accepts` has checked the fields that the client needs. The contract has the rest of the type.
    return { data: response.content as Data, response };
  }

  request(name: string, body?: SubmissionBody): NamedRequest {
    const [method = "", path = ""] = name.split(" ");
    const headers: Record<string, string> = { Accept: "application/json" };
    if (body) headers["Content-Type"] = "application/json";
    return { name, method, url: this.http.config.baseUrl + path, headers, body };
  }
}

export function isJob(json: unknown): json is { readonly job_id: string } {
  return isRecord(json) && isJobId(json["job_id"]) && typeof json["status"] === "string";
}

/** Returns true for a job id. No other text may become part of the path of a request. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && /^job_[a-zA-Z0-9]+$/.test(id);
}

export function toCall<Data>(responded: Promise<Responded<Data>>): Call<Data> {
  const promise = responded.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: async () => {
      const data = await promise;
      const { response, requestId, rateLimit } = (await responded).response;
      const whole = (!isPage && response.toResponse?.()) || (response as Response);
      return { data, response: whole, requestId, rateLimit };
    },
  });
}
