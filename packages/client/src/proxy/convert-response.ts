import { isJobId } from "../api/api.ts";
import type {
  AccountResponse,
  PurchaseWithSPTResponse,
  TryOnJobStatus,
  TryOnSubmitResponse,
} from "../generated/openapi.ts";
import type { Fields } from "../api/canonical-fields.ts";
import { userTagField, withoutUserTag } from "./filter-fields.ts";
import { isObject } from "./read-json.ts";
import type { RequestSettings } from "./resolve-options.ts";

/** Value of a field in the contract: an object of any form, an object of the listed fields, or no object. */
type Form = "scalar" | "object" | Forms;
interface Forms {
  readonly [name: string]: Form;
}
/** All fields of a response: the compiler reports a field of the contract that is missing or unknown. */
type FormsOf<Response> = { readonly [Name in keyof Required<Response>]: Form };

const jobFields = {
  job_id: "scalar",
  status: "scalar",
  result_url: "scalar",
  result_width: "scalar",
  result_height: "scalar",
  result_bytes: "scalar",
  result_content_type: "scalar",
  cost_credits: "scalar",
  credits_remaining: "scalar",
  seed: "scalar",
  metadata: "object",
  test_mode: "scalar",
  error_code: "scalar",
  error_message: "scalar",
  message: "scalar",
  duration_ms: "scalar",
  created_at: "scalar",
  completed_at: "scalar",
} as const satisfies FormsOf<TryOnSubmitResponse & TryOnJobStatus>;

export const accountFields = {
  name: "scalar",
  credits_remaining: "scalar",
  rate_limit_per_min: "scalar",
  total_calls: "scalar",
  tryon_cost_credits: { "1K": "scalar", "2K": "scalar", "4K": "scalar" },
} as const satisfies FormsOf<AccountResponse>;

export const purchaseFields = {
  payment_intent_id: "scalar",
  status: "scalar",
  pack_slug: "scalar",
  credits_added: "scalar",
  credits_remaining: "scalar",
  next_action: "object",
} as const satisfies FormsOf<PurchaseWithSPTResponse>;

/** Fields of free text, in which the service can repeat parts of its request. */
const textFields = new Set(["error_code", "error_message", "message"]);

/** Picks the fields of a contract, and drops any other field or value. */
export function pickFields(content: unknown, forms: Forms): Fields | undefined {
  if (!isObject(content)) return undefined;
  const picked: Fields = {};
  for (const [name, form] of Object.entries(forms)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (!isObject(value) || form === "object") picked[name] = value;
    else if (form !== "scalar") picked[name] = pickFields(value, form);
  }
  return picked;
}

/**
 * Converts a job for its user: with the fields that the user may see, under an id that is signed for the user. The image
 * URL is unchanged, even if it contains the service's own id: that id is of no use without the API key. Returns undefined
 * for content other than a job, or than the requested one.
 */
export async function toUserJob(
  content: unknown,
  userId: string,
  { exposeCredits, fields, redact, signer }: RequestSettings,
  requestedId?: string,
): Promise<Fields | undefined> {
  const job = pickFields(content, jobFields);
  const { job_id: id, status, cost_credits, credits_remaining, metadata, ...rest } = job ?? {};
  if (!isJobId(id) || typeof status !== "string" || id !== (requestedId ?? id)) return undefined;
  const signedId = await signer.signId("job", userId, id);
  const visible = {
    status,
    ...rest,
    ...(exposeCredits && { cost_credits, credits_remaining }),
    ...(fields.includes("metadata") && { metadata: withoutUserTag(metadata) }),
  };
  const entries = Object.entries(visible).map(([name, value]) => {
    if (typeof value !== "string" || name === "result_url") return [name, value];
    const text = textFields.has(name) ? redact(value) : value;
    return [name, text.replaceAll(id, signedId)];
  });
  return { ...Object.fromEntries(entries), job_id: signedId };
}

/** Filters a page of all jobs of the API key for the jobs of one user. */
export async function toUserJobList(
  content: unknown,
  userId: string,
  settings: RequestSettings,
): Promise<Fields | undefined> {
  const { jobs, next_cursor: next }: { jobs?: unknown; next_cursor?: unknown } = Object(content);
  if (!Array.isArray(jobs)) return undefined;
  const { signer } = settings;
  const tag = await signer.userTag(userId);
  const own = jobs.filter((job: unknown) => tagOf(job) === tag);
  const converted = await Promise.all(own.map((job) => toUserJob(job, userId, settings)));
  return {
    jobs: converted.filter((job) => job !== undefined),
    next_cursor: typeof next === "string" ? await signer.signId("cursor", userId, next) : null,
  };
}

function tagOf(job: unknown): unknown {
  const { metadata }: { metadata?: unknown } = Object(job);
  return isObject(metadata) ? metadata[userTagField] : undefined;
}
