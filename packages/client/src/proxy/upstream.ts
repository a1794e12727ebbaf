import { defaults, maxSyncWait } from "../config/options.ts";
import { attempt, type Outcome } from "../http/attempt.ts";
import { Deadline } from "../http/deadline.ts";
import type { Upstream } from "./settings.ts";

/** A request to the service: nothing of it is taken over from a visitor unseen. */
export interface Question {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Ends it when the visitor is gone; absent for what may have been paid for by then. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks the service once, with the key of the proxy and with no header but these. Whoever asked tries again. */
export async function askService(
  { baseUrl, apiKey, fetch, clock }: Upstream,
  { method, path, body, idempotencyKey, signal }: Question,
): Promise<Outcome> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    Authorization: `Bearer ${apiKey}`,
  };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
  const timeout = defaults.attemptTimeout + (idempotencyKey === undefined ? 0 : maxSyncWait);
  const deadline = new Deadline(clock, Number.POSITIVE_INFINITY, signal);
  try {
    const request = { method, url: `${baseUrl}${path}`, headers, body, timeout };
    return await attempt(fetch, request, deadline);
  } finally {
    deadline.close();
  }
}
