import type {
  AccountResponse,
  PurchaseWithSPTResponse,
  TryOnJobStatus,
  TryOnSubmitResponse,
} from "../generated/openapi.ts";

/** Value of a field in the contract: an object of any form, an object of the listed fields, or no object. */
type Form = "scalar" | "object" | Forms;
export interface Forms {
  readonly [name: string]: Form;
}
/** All fields of a response: the compiler reports a field of the contract that is missing or unknown. */
type FormsOf<Response> = { readonly [Name in keyof Required<Response>]: Form };

export const jobFields = {
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

/** Picks the fields of a contract, and drops any other field or value. */
export function pickFields(content: object, forms: Forms): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, form] of Object.entries(forms)) {
    const value: unknown = Object.hasOwn(content, name) ? Reflect.get(content, name) : undefined;
    if (typeof value !== "object" || value === null || form === "object") picked[name] = value;
    else if (form !== "scalar") picked[name] = pickFields(value, form);
  }
  return picked;
}
