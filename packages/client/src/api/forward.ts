import { InputError } from "../errors/input-error.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { randomKey } from "../http/random-key.ts";
import { responseError } from "../http/response-error.ts";
import { sendWithRetries } from "../http/send-with-retries.ts";
import { attemptTimeout, type Api } from "./api.ts";
import type { KeyContexts } from "./key-contexts.ts";

const bodilessStatuses = new Set([204, 205, 304]);

/** Sends a request of the caller to the service. Returns responses of any status, but no redirect. */
export async function forward(
  contexts: KeyContexts<{ readonly api: Api }>,
  request: Request,
): Promise<Response> {
  const { method, url, signal } = request;
  if (!url.startsWith(`${contexts.config.baseUrl}/`)) {
    throw new InputError("baseUrl", "of a raw call is not the client's", {
      hint: "Make another client: the key goes nowhere else.",
    });
  }
  const isSubmission = method === "POST" && /\/tryon\/?$/.test(url);
  const headers: Record<string, string> = {
    accept: "application/json",
    ...Object.fromEntries(request.headers),
  };
  // A submission without a key would be a second, paid try-on when it is retried.
  if (isSubmission) headers["idempotency-key"] ||= randomKey();
  // Not every browser has `request.body`.
  const bytes = new Uint8Array(await request.arrayBuffer());
  const body = bytes.length > 0 ? bytes : undefined;
  return contexts.within({ signal }, undefined, async ({ api: { http } }, deadline) => {
    const call = {
      name: `${method} ${new URL(url).pathname}`,
      purpose: isSubmission ? "submit" : "read",
      attemptLog: new AttemptLog(),
      deadline,
    } as const;
    const timeout = attemptTimeout(http.config, isSubmission);
    const outcome = await sendWithRetries(http, { method, url, headers, body, timeout }, call);
    if (!outcome.response || outcome.response.redirect) {
      throw responseError(outcome, call, http.config);
    }
    const { status, text, headers: received } = outcome.response;
    return new Response(bodilessStatuses.has(status) ? null : text, { status, headers: received });
  });
}
