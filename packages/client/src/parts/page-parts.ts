// Parts of a client in a page, which loads them with the first call that needs them.
import type { ClientParts } from "../jobs/client-context.ts";
import type { Part } from "../types/part.ts";
import { PageSpendCounter } from "./page-spend-counter.ts";

export const loadAccount = lazy(() => import("./account.ts"));

const loadFailures = lazy(() => import("./failures.ts"));

export const parts: ClientParts = {
  explain: loadFailures,
  identify: loadFailures,
  loadMiddleware: lazy(() => import("../http/send-through-middleware.ts")),
  loadList: loadAccount,
  checks: lazy(() => import("../jobs/input-checks.ts")),
  createSpendCounter: (...given) => new PageSpendCounter(loadAccount, ...given),
  find: async (contexts, sought, deadline) => {
    const account = await loadAccount();
    if (!account) return { status: "unknown", reason: "list_failed" };
    return new account.JobLookup(contexts).find(sought, { deadline });
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
