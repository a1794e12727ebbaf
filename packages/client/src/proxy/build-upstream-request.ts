import type { Fields } from "../api/canonical-fields.ts";
import {
  accountFields,
  pickFields,
  purchaseFields,
  toUserJob,
  toUserJobList,
} from "./convert-response.ts";
import { errorResponse, invalidField, jobNotFound } from "./error-response.ts";
import { filterFields, userTagField } from "./filter-fields.ts";
import type { ProxyCall } from "./options.ts";
import { readJson } from "./read-json.ts";
import type { RequestSettings } from "./resolve-options.ts";
import type { Signer } from "./signer.ts";

/** Maximum number of keys in the metadata, as in the service. */
const maxMetadataKeys = 8;
const statuses = new Set(["queued", "running", "succeeded", "failed"]);

/** Request to the service, with the method of the user's request. Everything in it is checked or made by the proxy. */
export interface UpstreamRequest {
  readonly path: string;
  readonly fields?: Fields;
  readonly idempotencyKey?: string;
  /** Converts the content of a 2xx response for the user; returns undefined if it violates the contract. */
  readonly convert: (content: unknown) => Fields | undefined | Promise<Fields | undefined>;
}

/** Builds the request to the service; returns an error response if the user's request is invalid. */
export async function buildUpstreamRequest(
  call: ProxyCall,
  id: string,
  settings: RequestSettings,
): Promise<UpstreamRequest | Response> {
  const { kind, request, user } = call;
  const { signer } = settings;
  if (kind === "get") {
    const jobId = await signer.verifyId("job", user.id, id);
    if (jobId === undefined) return jobNotFound();
    return {
      path: `/api/v1/tryon/${jobId}`,
      convert: (job) => toUserJob(job, user.id, settings, jobId),
    };
  }
  if (kind === "list") {
    const query = await buildListQuery(new URL(request.url).searchParams, user.id, signer);
    if (query instanceof Response) return query;
    const convert: UpstreamRequest["convert"] = (list) => toUserJobList(list, user.id, settings);
    return { path: `/api/v1/tryon${query}`, convert };
  }
  if (kind === "account") {
    return { path: "/api/v1/account", convert: (account) => pickFields(account, accountFields) };
  }
  const posted = await readJson(request, settings.maxBody);
  if (posted instanceof Response) return posted;
  if (kind === "submit") return buildSubmission(posted, call, settings);
  const { pack_slug, shared_payment_granted_token } = posted;
  return {
    path: "/api/v1/credits/purchase",
    fields: { pack_slug, shared_payment_granted_token },
    convert: (purchase) => pickFields(purchase, purchaseFields),
  };
}

async function buildSubmission(
  posted: Fields,
  call: ProxyCall,
  settings: RequestSettings,
): Promise<UpstreamRequest | Response> {
  const { user, idempotencyKey = "" } = call;
  const { addFields, allow, signer } = settings;
  const fields = filterFields(posted, settings);
  if (fields instanceof Response) return fields;
  const added = await addFields?.(call);
  const metadata = {
    ...Object(fields["metadata"]),
    ...Object(added?.["metadata"]),
    ...(allow.list === true && { [userTagField]: await signer.userTag(user.id) }),
  };
  const count = Object.keys(metadata).length;
  if (count > maxMetadataKeys) {
    const msg = `metadata must have at most ${maxMetadataKeys} keys, including those of the proxy.`;
    return invalidField(["body", "metadata"], "too_long", msg);
  }
  return {
    path: "/api/v1/tryon",
    fields: { ...fields, ...added, ...(count > 0 && { metadata }) },
    idempotencyKey: await signer.idempotencyKey(user.id, idempotencyKey),
    convert: (job) => toUserJob(job, user.id, settings),
  };
}

/** Builds the query of a list from known parameters; returns 400 if the cursor belongs to another user. */
async function buildListQuery(
  params: URLSearchParams,
  userId: string,
  signer: Signer,
): Promise<string | Response> {
  const query = new URLSearchParams();
  const limit = params.get("limit");
  // The service checks the range.
  if (limit !== null) query.set("limit", String(Number.parseInt(limit, 10)));
  for (const name of ["status_filter", "status"]) {
    const status = params.get(name);
    if (status !== null && statuses.has(status)) query.set(name, status);
  }
  const signed = params.get("cursor");
  if (signed !== null) {
    const cursor = await signer.verifyId("cursor", userId, signed);
    if (cursor === undefined)
      return errorResponse(400, "cursor must be a next_cursor of this list.");
    query.set("cursor", cursor);
  }
  const text = query.toString();
  return text && `?${text}`;
}
