import type { Tampering } from "./tamper.ts";

/** What came of one attempt to deliver an event. */
export type Attempt =
  | { readonly status: number; readonly took: number; readonly text: string }
  | { readonly problem: string };

/** Whether the attempt went as it should, and what the service would make of it. */
export interface CheckResult {
  readonly ok: boolean;
  readonly meaning: string;
}

const again =
  "The service would count this as failed and send it again after 1, 4 and 16 s, then give up.";

/** An event that is right has to be taken, with any 2xx; one that was broken on purpose has not. */
export function checkResult(attempt: Attempt, breakage: Tampering | undefined): CheckResult {
  if ("problem" in attempt) return { ok: false, meaning: again };
  const { status } = attempt;
  const taken = status >= 200 && status < 300;
  if (breakage !== undefined && taken) {
    return {
      ok: false,
      meaning: `The receiver took an event that was broken on purpose (${breakage}): it does not verify.`,
    };
  }
  if (taken) return { ok: true, meaning: "The service would count this as delivered." };
  if (status >= 300 && status < 400) {
    const redirects = "Only 2xx counts, and a redirect is not followed: give the last address.";
    return { ok: false, meaning: `${redirects} ${again}` };
  }
  if (breakage !== undefined && (status === 404 || status === 405)) {
    const meaning = "Nothing receives events there, so nothing was verified: check --to.";
    return { ok: false, meaning };
  }
  if (breakage !== undefined && status < 500) {
    return { ok: true, meaning: "The receiver refused it, as it should." };
  }
  if (breakage === undefined) return { ok: false, meaning: `Only 2xx counts. ${again}` };
  return {
    ok: false,
    meaning: "The receiver broke instead of refusing it; answer such a delivery with 400.",
  };
}
