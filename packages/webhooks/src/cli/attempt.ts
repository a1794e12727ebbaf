import { responderOf } from "@tryon/shared/receiver-mark";

import type { CliContext } from "./input.ts";

export type Attempt =
  | {
      readonly status: number;
      readonly took: number;
      readonly responder: ReturnType<typeof responderOf>;
      readonly text: string;
    }
  | { readonly problem: string };

const maxText = 2_000;

/** Maximum number of bytes read. A secret that starts in the printed text is read to its end. */
const maxBytes = 8 * maxText;

export async function attemptDelivery(
  request: Request,
  secret: string,
  timeout: number,
  { fetch, elapsed }: CliContext,
): Promise<Attempt> {
  const signal = AbortSignal.timeout(timeout);
  const start = elapsed();
  try {
    const response = await fetch(new Request(request, { redirect: "manual", signal }));
    const took = Math.round(elapsed() - start);
    const text = redact(await readStart(response), secret);
    return { status: response.status, took, responder: responderOf(response), text };
  } catch (error) {
    if (signal.aborted) {
      return { problem: `The receiver did not respond within ${timeout / 1_000} s.` };
    }
    return { problem: `The event could not be sent: ${reasonOf(error)}.` };
  }
}

/** Reads as much of the text as arrives in time: the service uses the status only. */
async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // The connection broke, or the time is over.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
}

/** Shortens a text, and removes a secret from it, as it is and as JSON writes it. */
function redact(text: string, secret: string): string {
  let redacted = text;
  for (const form of [JSON.stringify(secret).slice(1, -1), secret]) {
    // With the same length, a secret that was read only in part stays behind the printed text.
    redacted = redacted.replaceAll(form, "[secret]".padEnd(form.length));
  }
  return redacted.slice(0, maxText);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; start the receiver first",
  ENOTFOUND: "the host does not exist; check its name",
  EAI_AGAIN: "the DNS lookup failed; check the name of the host and the network",
  ECONNRESET: "the receiver closed the connection without a response",
  UND_ERR_SOCKET: "the receiver closed the connection without a response",
};

function reasonOf(error: unknown): string {
  // fetch says "fetch failed" only; the reason is in the cause.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return reasons[code] ?? (cause instanceof Error ? cause.message || code : String(cause));
}
