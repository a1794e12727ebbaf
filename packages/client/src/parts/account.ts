// Part of the client that a page loads with the first call about credits, prices or the list, and for other entry points.
export { getAccount } from "../api/account-requests.ts";
export { isServiceElsewhere } from "../http/is-service-elsewhere.ts";
export { estimate } from "../billing/prices.ts";
export { sendPurchase, settlePurchase } from "../billing/purchases.ts";
export { SpendTracker } from "../billing/spend-tracker.ts";
export { digestKey, readParsed, sendOnce, sendRaw } from "../jobs/entry-point-calls.ts";
export { findByKey, findSubmission, createJobLookup } from "../jobs/job-lookup.ts";
export { jobsOfPages, readPage } from "../jobs/list-pages.ts";
export { readListed } from "../jobs/read-listed.ts";
export { waitForAll } from "../jobs/wait-for-all.ts";
