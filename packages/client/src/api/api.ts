import { maxSyncWait } from "../config/options.ts";
import type {
  AccountResponse,
  paths,
  PurchaseWithSPTRequest,
  PurchaseWithSPTResponse,
  TryOnJobStatus,
  TryOnListResponse,
  TryOnSubmitResponse,
} from "../generated/openapi.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import type { CallContext, HttpRequest, SubmissionBody } from "../http/http-request.ts";
import { responseError } from "../http/response-error.ts";
import type { HttpResponse } from "../http/response.ts";
import { sendWithRetries, type HttpContext } from "../http/send-with-retries.ts";
import type { RateLimit } from "../types/attempt.ts";
import { isRecord } from "./canonical-fields.ts";

/** Result of a call, and the response of the service. */
export interface WithResponse<Data> {
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

/** Data of a response, and the response. */
export interface Responded<Data> {
  readonly data: Data;
  readonly response: HttpResponse;
}

/** Part of the call that its caller knows. */
type Caller = Pick<CallContext, "deadline" | "onRetry">;

/** Call of the service. */
interface ServiceCall extends Omit<CallContext, "attemptLog"> {
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

type ListQuery = NonNullable<paths["/api/v1/tryon"]["get"]["parameters"]["query"]>;

/** Endpoints of the service, typed by its contract. Each checks the shape of a successful response. */
export class Api {
  readonly http: HttpContext;

  constructor(http: HttpContext) {
    this.http = http;
  }

  submitTryOn(submission: Submission, caller: Caller) {
    const { body, sync, attemptLog } = submission;
    const call = { ...caller, purpose: "submit", submission, sync, attemptLog } as const;
    return this.#request<TryOnSubmitResponse>("POST", "/api/v1/tryon", isJob, call, { body });
  }

  getJob(id: string, caller: Caller) {
    const isRequested = (json: unknown): boolean => isJob(json) && json.job_id === id;
    return this.#request<TryOnJobStatus>("GET", `/api/v1/tryon/${id}`, isRequested, caller);
  }

  listJobs(query: ListQuery, caller: Caller) {
    // Values of queries are numbers and strings.
    const search = new URLSearchParams(query as Record<string, string>).toString();
    return this.#request<TryOnListResponse>("GET", "/api/v1/tryon", isJobList, caller, { search });
  }

  async getAccount(caller: Caller) {
    const account = await this.#request<AccountResponse>(
      "GET",
      "/api/v1/account",
      isRecord,
      caller,
    );
    const { rate_limit_per_min: limit } = account.data;
    if (limit > 0) this.http.rateLimiter.limit = limit;
    return account;
  }

  purchaseCredits(request: PurchaseWithSPTRequest, caller: Caller) {
    const call = { ...caller, purpose: "purchase" } as const;
    const body = JSON.stringify(request);
    const path = "/api/v1/credits/purchase";
    return this.#request<PurchaseWithSPTResponse>("POST", path, isRecord, call, { body });
  }

  async #request<Data>(
    method: string,
    path: string,
    accepts: (content: unknown) => boolean,
    call: Omit<ServiceCall, "name">,
    { search = "", body }: { readonly search?: string; readonly body?: SubmissionBody } = {},
  ): Promise<Responded<Data>> {
    const { idempotencyKey } = call.submission ?? {};
    const headers = {
      Accept: "application/json",
      ...(body && { "Content-Type": "application/json" }),
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
    };
    const url = this.http.config.baseUrl + path + (search && `?${search}`);
    const response = await this.send(
      { method, url, headers, body },
      { purpose: "read", ...call, name: `${method} ${path}` },
      (received) => received.response.ok && accepts(received.content),
    );
    // `accepts` has checked the fields that the client needs. The contract has the rest of the type.
    return { data: response.content as Data, response };
  }

  /** Sends a request with retries. Returns a response that `accepts` accepts, and throws the error of any other outcome. */
  async send(
    request: Omit<HttpRequest, "timeout">,
    { sync, attemptLog = new AttemptLog(), ...rest }: ServiceCall,
    accepts: (response: HttpResponse) => boolean,
  ): Promise<HttpResponse> {
    const { config } = this.http;
    const timeout = config.attemptTimeout + (sync ? maxSyncWait : 0);
    const call = { ...rest, attemptLog };
    const outcome = await sendWithRetries(this.http, { ...request, timeout }, call);
    const { response } = outcome;
    if (!response || !accepts(response)) throw responseError(outcome, call, config);
    return response;
  }
}

function isJob(json: unknown): json is { readonly job_id: string } {
  return isRecord(json) && isJobId(json["job_id"]) && typeof json["status"] === "string";
}

function isJobList(json: unknown): boolean {
  return isRecord(json) && Array.isArray(json["jobs"]) && json["jobs"].every(isJob);
}

/** Returns true for a job id. No other text may become part of the path of a request. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && /^job_[a-zA-Z0-9]+$/.test(id);
}

/** Adds `withResponse` to the promise of a call. */
export function toCall<Data>(responded: Promise<Responded<Data>>): Call<Data> {
  const promise = responded.then(({ data }) => data);
  return Object.assign(promise, {
    withResponse: async () => {
      const data = await promise;
      const { response, requestId, rateLimit } = (await responded).response;
      return { data, response, requestId, rateLimit };
    },
  });
}
