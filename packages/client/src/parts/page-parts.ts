// Parts of a client in a page, which loads them with the first call that needs them.
import type { ClientParts, JobParts } from "../jobs/client-context.ts";
import type { Part } from "../types/part.ts";
import { PageSpendCounter } from "./page-spend-counter.ts";

export const loadAccount = /* @__PURE__ */ lazy(() => import("./account.ts"));

const loadFailures = /* @__PURE__ */ lazy(() => import("./failures.ts"));

const loadChecks = /* @__PURE__ */ lazy(() => import("../jobs/input-checks.ts"));

export const jobParts: JobParts = {
  explain: loadFailures,
  checks: loadChecks,
  images: loadFailures,
};

export const parts: ClientParts = {
  images: loadFailures,
  explain: loadFailures,
  checks: loadChecks,
  identify: loadAccount,
  loadMiddleware: /* @__PURE__ */ lazy(() => import("../http/send-through-middleware.ts")),
  loadList: loadAccount,
  createSpendCounter: (...given) => new PageSpendCounter(loadAccount, ...given),
  find: async (...given) => {
    const account = await loadAccount();
    return account?.findSubmission(...given) ?? { status: "unknown", reason: "list_failed" };
  },
};

/** Loads a part once. A later call tries again after a failure. */
export function lazy<Module>(load: () => Promise<Module>): Part<Module> {
  let part: Module | undefined;
  return () =>
    part ??
    load().then(
      (loaded) => (part = loaded),
      () => undefined,
    );
}
