import type { OutcomeUnknownError } from "../errors/outcome-error.ts";
import type { paths, PurchaseWithSPTRequest } from "../generated/openapi.ts";
import type { Settings } from "../config/resolve-config.ts";
import type { Answer } from "../http/response.ts";
import type { Purpose } from "../http/response-error.ts";
import type { Body } from "../http/submission-body.ts";
import type { Deadline } from "../http/deadline.ts";
import { Trail } from "../http/send-with-retries.ts";
import { send } from "./send.ts";

/** What a request needs to be sent. */
interface Sending {
  readonly deadline: Deadline;
  readonly onRetry?: ((pause: number) => void) | undefined;
}

/** What a submission needs besides. */
interface SubmissionSending extends Sending {
  readonly body: Body;
  readonly idempotencyKey: string;
  /** Whether the service is asked to hold the answer. */
  readonly held: boolean;
  /** Every attempt to send this submission, also those of earlier calls. */
  readonly trail: Trail;
  readonly recover: OutcomeUnknownError["recover"];
}

type Method = "get" | "post";
/** What the contract says of an endpoint. */
type Operation<Path extends keyof paths, Verb extends Method> = NonNullable<paths[Path][Verb]>;
/** What its good answer holds. */
type Content<Of> = Of extends {
  responses: { 200: { content: { "application/json": infer Data } } };
}
  ? Data
  : never;
type ListQuery = NonNullable<Operation<"/api/v1/tryon", "get">["parameters"]["query"]>;

/** What a request says beyond its method and path. */
interface Question {
  readonly purpose?: Purpose;
  readonly id?: string;
  readonly query?: object;
  readonly body?: Body;
}

/** The endpoints of the service, typed by its contract. Every good answer of theirs has its shape checked here. */
export class Service {
  readonly settings: () => Settings;

  constructor(settings: () => Settings) {
    this.settings = settings;
  }

  submit(sending: SubmissionSending) {
    const { body } = sending;
    return this.#ask("post", "/api/v1/tryon", isJob, sending, { purpose: "submit", body });
  }

  job(id: string, sending: Sending) {
    const isAsked = (json: unknown): boolean => isJob(json) && json.job_id === id;
    return this.#ask("get", "/api/v1/tryon/{job_id}", isAsked, sending, { id });
  }

  list(query: ListQuery, sending: Sending) {
    return this.#ask("get", "/api/v1/tryon", isJobList, sending, { query });
  }

  async account(sending: Sending) {
    const account = await this.#ask("get", "/api/v1/account", isObject, sending);
    const { rate_limit_per_min: limit } = account;
    if (limit > 0) this.settings().gate.limit = limit;
    return account;
  }

  purchase(request: PurchaseWithSPTRequest, sending: Sending) {
    const body = JSON.stringify(request);
    return this.#ask("post", "/api/v1/credits/purchase", isObject, sending, {
      purpose: "purchase",
      body,
    });
  }

  async #ask<Path extends keyof paths, Verb extends Method>(
    method: Verb,
    path: Path,
    accepts: (content: unknown) => boolean,
    sending: Sending | SubmissionSending,
    { purpose = "read", id = "", query, body }: Question = {},
  ): Promise<Content<Operation<Path, Verb>>> {
    const settings = this.settings();
    const submission = "trail" in sending ? sending : undefined;
    // Values of queries are numbers and texts.
    const search = query && new URLSearchParams(query as Record<string, string>).toString();
    const verb = method.toUpperCase();
    const address = path.replace("{job_id}", id);
    const url = `${settings.baseUrl}${address}${search ? `?${search}` : ""}`;
    const headers: Record<string, string> = {};
    if (body) headers["Content-Type"] = "application/json";
    if (submission) headers["Idempotency-Key"] = submission.idempotencyKey;
    const good = ({ response, content }: Answer): boolean => response.ok && accepts(content);
    const answer = await send(settings, good, {
      name: `${verb} ${address}`,
      request: { method: verb, url, headers, body },
      trail: new Trail(),
      ...sending,
      submission,
      purpose,
    });
    // What `accepts` let through is there; the contract says the rest of its type.
    return answer.content as Content<Operation<Path, Verb>>;
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

/** Ids have this form, and no other text belongs into the path of a request. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && /^job_[a-zA-Z0-9]+$/.test(id);
}
