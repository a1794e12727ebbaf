import createClient from "openapi-fetch";

import type { OutcomeUnknownError } from "../errors/outcome-error.ts";
import type { paths, PurchaseWithSPTRequest } from "../generated/openapi.ts";
import type { Settings } from "../settings.ts";
import type { Answer } from "./answer.ts";
import type { Purpose } from "./answer-error.ts";
import type { Deadline } from "./deadline.ts";
import { Trail } from "./journey.ts";
import { PlannedRequest } from "./planned-request.ts";
import { send } from "./send.ts";

/** What a request needs to be sent. */
interface Sending {
  readonly deadline: Deadline;
  readonly onRetry?: ((pause: number) => void) | undefined;
}

/** What a submission needs besides. */
interface SubmissionSending extends Sending {
  readonly body: string;
  readonly idempotencyKey: string;
  /** Whether the service is asked to hold the answer. */
  readonly held: boolean;
  /** Every attempt to send this submission, also those of earlier calls. */
  readonly trail: Trail;
  readonly recover: OutcomeUnknownError["recover"];
}

type ListQuery = NonNullable<paths["/api/v1/tryon"]["get"]["parameters"]["query"]>;
type ContractFetch = (request: Request) => Promise<Response>;

/** The endpoints of the service, typed by its contract. Every good answer of theirs has its shape checked here. */
export class Service {
  readonly settings: () => Settings;
  readonly #contract = createClient<paths>({
    // openapi-fetch reads no more of what it makes than this class has, and hands it to our `fetch`.
    Request: PlannedRequest as unknown as typeof Request,
  });

  constructor(settings: () => Settings) {
    this.settings = settings;
  }

  submit(sending: SubmissionSending) {
    return this.#ask("submit", sending, isJob, (fetch) =>
      this.#contract.POST("/api/v1/tryon", {
        params: { header: { "Idempotency-Key": sending.idempotencyKey } },
        body: {},
        // The text was made once, of an input that fits the contract.
        bodySerializer: () => sending.body,
        fetch,
      }),
    );
  }

  job(id: string, sending: Sending) {
    return this.#ask("read", sending, isJob, (fetch) =>
      this.#contract.GET("/api/v1/tryon/{job_id}", { params: { path: { job_id: id } }, fetch }),
    );
  }

  list(query: ListQuery, sending: Sending) {
    return this.#ask("read", sending, isJobList, (fetch) =>
      this.#contract.GET("/api/v1/tryon", { params: { query }, fetch }),
    );
  }

  account(sending: Sending) {
    return this.#ask("read", sending, isObject, (fetch) =>
      this.#contract.GET("/api/v1/account", { fetch }),
    );
  }

  purchase(body: PurchaseWithSPTRequest, sending: Sending) {
    return this.#ask("purchase", sending, isObject, (fetch) =>
      this.#contract.POST("/api/v1/credits/purchase", { body, fetch }),
    );
  }

  async #ask<Data>(
    purpose: Purpose,
    sending: Sending | SubmissionSending,
    accepts: (content: unknown) => boolean,
    ask: (fetch: ContractFetch) => Promise<{ data?: Data }>,
  ): Promise<Data> {
    const { data } = await ask((request) => this.#send(request, purpose, sending, accepts));
    // What `accepts` let through is there; the contract says the rest of its type.
    return data as Data;
  }

  async #send(
    planned: PlannedRequest | Request,
    purpose: Purpose,
    sending: Sending | SubmissionSending,
    accepts: (content: unknown) => boolean,
  ): Promise<Response> {
    const settings = this.settings();
    const submission = "trail" in sending ? sending : undefined;
    const { method, url, headers } = planned;
    // Only PlannedRequest comes here, and its bodies are texts.
    const { body } = planned as PlannedRequest;
    const good = ({ status, content }: Answer): boolean =>
      status >= 200 && status < 300 && accepts(content);
    return send(settings, good, {
      request: { method, url: settings.baseUrl + url, headers, body },
      held: submission?.held ?? false,
      trail: submission?.trail ?? new Trail(),
      deadline: sending.deadline,
      onRetry: sending.onRetry,
      keyed: submission !== undefined,
      submission,
      purpose,
    });
  }
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null;
}

function isJob(json: unknown): boolean {
  return isObject(json) && isJobId(json["job_id"]) && typeof json["status"] === "string";
}

function isJobList(json: unknown): boolean {
  return isObject(json) && Array.isArray(json["jobs"]) && json["jobs"].every(isJob);
}

/** Ids have this form, and no other text belongs into the path of a request. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && /^job_[a-zA-Z0-9]+$/.test(id);
}
