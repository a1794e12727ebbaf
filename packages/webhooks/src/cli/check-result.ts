import type { Tampering } from "./tamper.ts";

/** Result of one attempt to deliver an event. */
export type Attempt =
  | { readonly status: number; readonly took: number; readonly text: string }
  | { readonly problem: string };

/** Verdict on an attempt, and the service's reaction to it. */
export interface CheckResult {
  readonly ok: boolean;
  readonly meaning: string;
}

const retries =
  "The service would count this as failed, and retry after 1, 4 and 16 s before it stops.";

/** Expects 2xx for a valid event, and 4xx for one that is wrong on purpose. */
export function checkResult(attempt: Attempt, tampering: Tampering | undefined): CheckResult {
  if ("problem" in attempt) return { ok: false, meaning: retries };
  const { status } = attempt;
  if (status >= 200 && status < 300) {
    if (tampering === undefined) {
      return { ok: true, meaning: "The service would count this as delivered." };
    }
    const meaning = `The receiver accepted an event that is wrong on purpose (${tampering}): it does not verify.`;
    return { ok: false, meaning };
  }
  if (status >= 300 && status < 400) {
    const redirects = "Only 2xx counts, and the service follows no redirect: use the final URL.";
    return { ok: false, meaning: `${redirects} ${retries}` };
  }
  if (tampering === undefined) return { ok: false, meaning: `Only 2xx counts. ${retries}` };
  if (status === 404 || status === 405) {
    const meaning = "Nothing receives events there, so nothing was verified: check --to.";
    return { ok: false, meaning };
  }
  if (status < 500) return { ok: true, meaning: "The receiver rejected it, as it should." };
  const meaning =
    "The receiver failed instead of rejecting it. Respond with 400 to such a request.";
  return { ok: false, meaning };
}
