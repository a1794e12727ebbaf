import { billingNotObservable } from "./billing/not-observable.ts";
import { requestsNotObservable } from "./requests/index.ts";
import { webhooksNotObservable } from "./webhooks/not-observable.ts";

/** Rules of the server that no check shows, each with the reason why they cannot be seen from outside. */
export const notObservableRules: Readonly<Record<string, string>> = {
  ...requestsNotObservable,
  ...billingNotObservable,
  ...webhooksNotObservable,
};
