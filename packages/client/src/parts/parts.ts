// Parts of a client outside of pages, which has them from the start. `imports` of package.json selects this file or
// `page-parts.ts`.
import * as explanations from "../http/explain-outcome.ts";
import * as identification from "../http/is-service-elsewhere.ts";
import * as middleware from "../http/send-through-middleware.ts";
import type { ClientParts } from "../jobs/client-context.ts";
import * as inputChecks from "../jobs/input-checks.ts";
import * as account from "./account.ts";

export const loadAccount = () => account;

export const parts: ClientParts = {
  explain: () => explanations,
  identify: () => identification,
  loadMiddleware: () => middleware,
  loadList: loadAccount,
  checks: () => inputChecks,
  createSpendCounter: (...given) => new account.SpendTracker(...given),
  find: (contexts, sought, deadline) => new account.JobLookup(contexts).find(sought, { deadline }),
};
