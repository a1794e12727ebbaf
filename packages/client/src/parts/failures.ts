// Part of the client that a page loads with the first failure of a request.
export { explainOutcome } from "../http/explain-outcome.ts";
export { isServiceElsewhere } from "../http/is-service-elsewhere.ts";
