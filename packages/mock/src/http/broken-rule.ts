import type { ValidationError } from "@tryon/spec/openapi";
import type { ServerRule } from "../generated/server-rules.ts";
import { ServiceError } from "../service/service-error.ts";
import { MalformedBody, OversizeBody, WrongContentType } from "./body.ts";
import { InvalidInput } from "./validation.ts";

export function brokenRule(error: unknown): ServerRule | undefined {
  if (error instanceof ServiceError) return error.rule;
  if (error instanceof MalformedBody) return "endpoints.json";
  if (error instanceof WrongContentType) return "endpoints.post.content-type";
  if (error instanceof OversizeBody) return "submit.body.largest";
  if (!(error instanceof InvalidInput)) return undefined;
  return error.problems.map(ruleOfProblem).find((rule) => rule !== undefined);
}

function ruleOfProblem({ loc, type }: ValidationError): ServerRule | undefined {
  const [, field, entry] = loc;
  if (field === "metadata" && entry !== undefined) return "request.metadata.max-length";
  const { form, max = form } = fieldRules[String(field)] ?? {};
  return type.endsWith("too_long") ? max : form;
}

interface FieldRules {
  readonly form: ServerRule;
  readonly max?: ServerRule;
}

const personAlias: FieldRules = { form: "request.person-url.aliases" };
const garmentAlias: FieldRules = { form: "request.garment-urls.aliases" };
const sizeAlias: FieldRules = { form: "request.output-size.aliases" };
const filter: FieldRules = { form: "list.status-filter.values" };

const fieldRules: Readonly<Record<string, FieldRules>> = {
  person_url: { form: "request.person-url.https", max: "request.person-url.max-length" },
  person: personAlias,
  model_url: personAlias,
  input_url: personAlias,
  person_image_b64: {
    form: "request.person-image-b64.base64",
    max: "request.person-image-b64.max-length",
  },
  garment_urls: { form: "request.garment-urls.https", max: "request.garment-urls.max-items" },
  garments: garmentAlias,
  clothing: garmentAlias,
  items: garmentAlias,
  garment_images_b64: {
    form: "request.garment-images-b64.base64",
    max: "request.garment-images-b64.max-items",
  },
  output_size: { form: "request.output-size.values" },
  resolution: sizeAlias,
  size: sizeAlias,
  prompt: { form: "request.prompt.max-length" },
  style_hint: { form: "request.style-hint.max-length" },
  negative_prompt: { form: "request.negative-prompt.max-length" },
  wait: { form: "request.wait.default" },
  mode: { form: "request.wait.mode-alias" },
  webhook_url: { form: "request.webhook-url.https", max: "request.webhook-url.max-length" },
  metadata: { form: "request.metadata.max-keys" },
  seed: { form: "request.seed.range" },
  "Idempotency-Key": { form: "submit.idempotency-key.max-length" },
  limit: { form: "list.limit.bounds" },
  cursor: { form: "list.cursor.unknown" },
  status_filter: filter,
  status: filter,
  pack_slug: { form: "purchase-request.pack-slug.values" },
  shared_payment_granted_token: {
    form: "purchase-request.shared-payment-granted-token.length",
  },
};
