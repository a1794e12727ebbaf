import type { Check } from "../check.ts";
import { accountChecks } from "./billing/account.ts";
import { creditChecks } from "./billing/credits.ts";
import { idempotencyChecks } from "./billing/idempotency.ts";
import { purchaseOutcomeChecks } from "./billing/purchase-outcomes.ts";
import { purchaseChecks } from "./billing/purchases.ts";
import { rateLimitChecks } from "./billing/rate-limit.ts";
import { refusalChecks as freeRefusals } from "./billing/refusals.ts";
import { lists } from "./jobs/lists.ts";
import { polls } from "./jobs/polls.ts";
import { resultUrls } from "./jobs/result-urls.ts";
import { results } from "./jobs/results.ts";
import { submissions } from "./jobs/submissions.ts";
import { endpointChecks } from "./requests/endpoints.ts";
import { fieldEffects } from "./requests/field-effects.ts";
import { fieldChecks } from "./requests/fields.ts";
import { imageChecks, largeImageChecks } from "./requests/images.ts";
import { keyChecks } from "./requests/keys.ts";
import { refusalChecks } from "./requests/refusals.ts";
import { eventChecks } from "./webhooks/events.ts";
import { sendingChecks } from "./webhooks/sending.ts";

export const requestChecks: readonly Check[] = [
  ...endpointChecks,
  ...keyChecks,
  ...imageChecks,
  ...fieldChecks,
  ...fieldEffects,
  ...refusalChecks,
  ...largeImageChecks,
];

export const jobChecks: readonly Check[] = [
  ...submissions,
  ...polls,
  ...lists,
  ...results,
  ...resultUrls,
].map((check) => ({ ...check, ownKey: true }));

export const billingChecks: readonly Check[] = [
  ...accountChecks,
  ...creditChecks,
  ...freeRefusals,
  ...idempotencyChecks,
  ...rateLimitChecks,
  ...purchaseChecks,
  ...purchaseOutcomeChecks,
];

export const webhookChecks: readonly Check[] = [...sendingChecks, ...eventChecks];

export const allChecks: readonly Check[] = [
  ...requestChecks,
  ...jobChecks,
  ...billingChecks,
  ...webhookChecks,
];

export const notObservableRules: Readonly<Record<string, string>> = {
  "service.legacy-url.same-endpoints":
    "A run has one base URL. To check the older one, run the kit again with it as --base-url.",
  "errors.500.replayed":
    "The service would have to fail with 500 after it made the job and before it calls the model. The control API only fails before or after the work.",
  "limits.daily-spend-cap.value":
    "A run would have to spend the whole cap: thousands of try-ons in a day with one key.",
};

const invalid = [
  "validation-error.detail.array",
  "validation-error.loc.path",
  "validation-error.msg.string",
  "validation-error.type.string",
  "validation-error.input.any",
  "validation-error.ctx.object",
  "endpoints.statuses.anywhere",
];
const error = ["error-response.detail.string"];
const errorAnywhere = [...error, "endpoints.statuses.anywhere"];
const discovery = ["discovery.capabilities.agentic-commerce", "discovery.document.shape"];

const endpointShapes: Readonly<Record<number, readonly string[]>> = {
  200: ["endpoints.json"],
  ...Object.fromEntries([400, 402, 404, 409].map((status) => [status, error])),
  ...Object.fromEntries([401, 403, 429, 500, 503].map((status) => [status, errorAnywhere])),
  422: invalid,
};

const shapes: Readonly<Record<string, readonly string[]>> = {
  "GET / 200": discovery,
  "GET /api/discovery 200": discovery,
  "GET /api/v1/openapi.json 200": ["version.description.openapi"],
  "POST /api/v1/tryon 200": [
    "submit.request-and-answer",
    "submit-response.job-id.form",
    "submit-response.status.values",
  ],
  "GET /api/v1/tryon/{job_id} 200": ["job.job-id.form", "job.status.values"],
  "GET /api/v1/tryon 200": ["list.request-and-answer"],
  "GET /api/v1/account 200": [
    "account.request-and-answer",
    "account.name.label",
    "account.credits-remaining.balance",
    "account.rate-limit-per-min.allowance",
    "account.total-calls.lifetime",
    "account.tryon-cost-credits.costs",
  ],
  "GET /api/v1/account 429": ["errors.429.retry-after"],
  "POST /api/v1/tryon 429": ["errors.429.retry-after"],
  "POST /api/v1/credits/purchase 200": [
    "purchase.request-and-answer",
    "purchase-response.payment-intent-id.present",
    "purchase-response.status.open-set",
    "purchase-response.pack-slug.bought",
    "purchase-response.credits-added.this-call",
    "purchase-response.credits-remaining.balance",
    "purchase-response.next-action.requires-action",
  ],
};

export function shapeRules(operation: string, status: number): readonly string[] {
  const isEndpoint = /\/api\/v1\/(tryon|account|credits)/.test(operation);
  const shared = isEndpoint ? (endpointShapes[status] ?? []) : [];
  return [...shared, ...(shapes[`${operation} ${status}`] ?? [])];
}
