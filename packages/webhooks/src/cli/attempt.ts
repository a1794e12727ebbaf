import type { CliContext } from "./context.ts";
import type { Attempt } from "./check-result.ts";

/** Maximum length of the text of an answer that is shown, in characters. */
const mostText = 2_000;

/** Maximum number of bytes read. A secret that starts in the text shown is read to its end. */
const mostBytes = 2 * mostText;

/**
 * Sends a request once, follows no redirect, and says what came of it; it does not throw. Removes
 * the secret from the answer: a receiver may answer with its configuration.
 */
export async function attemptDelivery(
  request: Request,
  secret: string,
  timeout: number,
  { fetch, elapsed }: Pick<CliContext, "fetch" | "elapsed">,
): Promise<Attempt> {
  const signal = AbortSignal.timeout(timeout);
  const start = elapsed();
  try {
    const response = await fetch(new Request(request, { redirect: "manual", signal }));
    const took = Math.round(elapsed() - start);
    const text = withoutSecret(await beginningOf(response), secret);
    return { status: response.status, took, text };
  } catch (error) {
    if (signal.aborted) {
      return { problem: `There was no answer within ${timeout / 1_000} s.` };
    }
    return { problem: `The event could not be sent: ${reasonOf(error)}.` };
  }
}

/** As much of the text as comes in time: the status is all that the service looks at. */
async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      chunks.push(read.value);
      length += read.value.length;
      if (length < mostBytes) continue;
      await reader?.cancel();
      break;
    }
  } catch {
    // It broke off or took too long.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, mostBytes));
}

/** Shortens a text, and removes a secret from it, as it is and as JSON writes it. */
function withoutSecret(text: string, secret: string): string {
  const forms = [JSON.stringify(secret).slice(1, -1), secret];
  // A secret that starts before the cut is kept whole until it is removed.
  const ends = forms.map((form) => text.lastIndexOf(form, mostText - 1) + form.length);
  const shown = text.slice(0, Math.max(mostText, ...ends));
  return forms.reduce((rest, form) => rest.replaceAll(form, "[secret]"), shown);
}

function reasonOf(error: unknown): string {
  // The platform says no more than "fetch failed" itself; the reason stands in the cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there; start the receiver first",
    ENOTFOUND: "there is no such host; check its name",
    EAI_AGAIN: "the name of the host cannot be looked up; check it and the network",
    ECONNRESET: "the receiver cut the connection without an answer",
    UND_ERR_SOCKET: "the receiver cut the connection without an answer",
  };
  return reasons[code] ?? (cause instanceof Error ? cause.message || code : String(cause));
}
