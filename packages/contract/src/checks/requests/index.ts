import type { Check } from "../../check.ts";
import { endpointChecks } from "./endpoints.ts";
import { fieldEffects } from "./field-effects.ts";
import { fieldChecks } from "./fields.ts";
import { imageChecks, largeImageChecks } from "./images.ts";
import { keyChecks } from "./keys.ts";
import { refusalChecks } from "./refusals.ts";

/** Checks of keys and endpoints, and of which requests the service takes. */
export const requestChecks: readonly Check[] = [
  ...endpointChecks,
  ...keyChecks,
  ...imageChecks,
  ...fieldChecks,
  ...fieldEffects,
  ...refusalChecks,
  ...largeImageChecks,
];

const endpoints = [
  "POST /api/v1/tryon",
  "GET /api/v1/tryon",
  "GET /api/v1/tryon/{job_id}",
  "GET /api/v1/account",
  "POST /api/v1/credits/purchase",
];

const invalid = [
  "validation-error.detail.array",
  "validation-error.loc.path",
  "validation-error.msg.string",
  "validation-error.type.string",
  "validation-error.input.any",
  "validation-error.ctx.object",
  "endpoints.statuses.anywhere",
];

const error = "error-response.detail.string";

const entries: readonly (readonly [statuses: readonly number[], rules: readonly string[]])[] = [
  [[200], ["endpoints.json"]],
  [
    [401, 403, 429, 500, 503],
    [error, "endpoints.statuses.anywhere"],
  ],
  [[400, 402, 404, 409], [error]],
  [[422], invalid],
];

const discovery = ["discovery.capabilities.agentic-commerce", "discovery.document.shape"];

/** Rules that the schema of a response states, by operation and status. */
export const requestShapes: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    endpoints.flatMap((endpoint) =>
      entries.flatMap(([statuses, rules]) =>
        statuses.map((status): [string, readonly string[]] => [`${endpoint} ${status}`, rules]),
      ),
    ),
  ),
  "GET / 200": discovery,
  "GET /api/discovery 200": discovery,
  "GET /api/v1/openapi.json 200": ["version.description.openapi"],
};

/** Rules that no response shows, each with the reason. */
export const requestsNotObservable: Readonly<Record<string, string>> = {
  "service.legacy-url.same-endpoints":
    "A run has one base URL. To check the older one, run the kit again with it as --base-url.",
};
