import type { AuthorizedRequest } from "./authorize-request.ts";
import { buildBody } from "./build-body.ts";
import { accountFields, pickFields, purchaseFields, type Forms } from "./contract-fields.ts";
import { jobNotFound } from "./error-response.ts";
import { buildListQuery, toUserJobList } from "./job-list.ts";
import type { ProxyOptions, ProxyUser } from "./options.ts";
import type { ResolvedOptions, Upstream } from "./resolve-options.ts";
import { isWireJob, toUserJob, type JobView } from "./to-user-job.ts";

/** Request to the service. Everything in it is checked or made by the proxy. */
export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Cancels the request when the client closes it; absent if the request can be charged. */
  readonly signal?: AbortSignal | undefined;
  /** Converts the content of a 2xx response for the user; returns undefined if it violates the contract. */
  readonly convert: (content: unknown) => Promise<object | undefined>;
}

/** Options of the proxy that apply to authorized requests. */
export interface RequestSettings<User extends ProxyUser>
  extends Pick<ProxyOptions<User>, "addFields" | "allow" | "exposeCredits">, ResolvedOptions {
  readonly upstream: Upstream;
}

/** Builds the request to the service; returns an error response if the user's request is invalid. */
export async function buildUpstreamRequest<User extends ProxyUser>(
  id: string,
  { userId, call }: AuthorizedRequest<User>,
  settings: RequestSettings<User>,
): Promise<UpstreamRequest | Response> {
  const { fields, upstream, exposeCredits = false, addFields, allow = {} } = settings;
  const { kind, idempotencyKey = "", request } = call;
  const { signal } = request;
  const { signer, redact } = upstream;
  const view: JobView = { userId, signer, redact, exposeCredits, metadata: fields.has("metadata") };
  if (kind === "get") {
    const jobId = await signer.verifyId("job", userId, id);
    if (jobId === undefined) return jobNotFound();
    return {
      method: "GET",
      path: `/api/v1/tryon/${jobId}`,
      signal,
      convert: async (job) =>
        isWireJob(job) && job.job_id === jobId ? toUserJob(job, view) : undefined,
    };
  }
  if (kind === "list") {
    const query = await buildListQuery(new URL(request.url).searchParams, userId, signer);
    if (query instanceof Response) return query;
    return {
      method: "GET",
      path: `/api/v1/tryon${query}`,
      signal,
      convert: (list) => toUserJobList(list, view),
    };
  }
  if (kind === "account") {
    return { method: "GET", path: "/api/v1/account", signal, convert: pick(accountFields) };
  }
  if (kind === "purchase") {
    const body = await buildBody(request, kind, settings);
    if (body instanceof Response) return body;
    const path = "/api/v1/credits/purchase";
    return { method: "POST", path, body, convert: pick(purchaseFields) };
  }
  const body = await buildBody(request, kind, settings, async () => ({
    added: await addFields?.(call),
    userTag: allow.list === true ? await signer.userTag(userId) : undefined,
  }));
  if (body instanceof Response) return body;
  return {
    method: "POST",
    path: "/api/v1/tryon",
    body,
    idempotencyKey: await signer.idempotencyKey(userId, idempotencyKey),
    convert: async (job) => (isWireJob(job) ? toUserJob(job, view) : undefined),
  };
}

function pick(forms: Forms): UpstreamRequest["convert"] {
  return async (content) =>
    typeof content === "object" && content !== null ? pickFields(content, forms) : undefined;
}
