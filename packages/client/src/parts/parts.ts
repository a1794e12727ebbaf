// Parts of a client outside of pages, which has them from the start. `imports` of package.json selects this file or
// `page-parts.ts`.
import * as explanations from "../http/explain-outcome.ts";
import * as middleware from "../http/send-through-middleware.ts";
import * as imagePart from "../images/image-part.ts";
import type { ClientParts, JobParts } from "../jobs/client-context.ts";
import * as inputChecks from "../jobs/input-checks.ts";
import * as account from "./account.ts";

export const loadAccount = () => account;

export const jobParts: JobParts = {
  explain: () => explanations,
  checks: () => inputChecks,
  images: () => imagePart,
};

export const parts: ClientParts = {
  images: () => imagePart,
  explain: () => explanations,
  checks: () => inputChecks,
  identify: loadAccount,
  loadMiddleware: () => middleware,
  loadList: loadAccount,
  createSpendCounter: (...given) => new account.SpendTracker(...given),
  find: account.findSubmission,
};
