import { errorResponse } from "./error-response.ts";
import type { ProxyCall, ProxyError, ProxyKind, ProxyUser } from "./options.ts";
import type { ProxySettings } from "./resolve-options.ts";

/** Maximum length of an idempotency key, in characters, as in the service. */
const maxKeyLength = 200;
/** `Retry-After` if `limit` returns no valid one, in seconds. */
const defaultRetryAfter = 3_600;
/** Maximum `Retry-After`, in seconds. A client could misread a much larger number as a date. */
const maxRetryAfter = 31_536_000;

const failed = "The proxy could not authenticate the request.";
const unauthenticated = "The request has no authenticated user. Sign in first.";

/** Authenticates a request and applies the limit of its user; returns an error response if either rejects it. */
export async function authorizeRequest(
  request: Request,
  context: unknown,
  kind: ProxyKind,
  { authorize, limit }: ProxySettings,
  report: (error: ProxyError) => void,
): Promise<ProxyCall | Response> {
  let user: ProxyUser | Response | null | undefined | false;
  try {
    user = await authorize(request, context);
  } catch (cause) {
    const message = "authorize threw an error; the proxy responded with 500. See cause.";
    report({ message, cause });
    return errorResponse(500, failed);
  }
  if (user instanceof Response) {
    if (!user.bodyUsed && user.status > 0) return user;
    report({ message: "authorize must return a new, unused Response for each request." });
    return errorResponse(500, failed);
  }
  if (!user) return errorResponse(401, unauthenticated);
  // Callers without types can return anything, and users with an empty id would share their jobs.
  const { id }: { id?: unknown } = Object(user);
  if (typeof id !== "string" || id.trim() === "") {
    const message =
      "authorize must return { id } with a string that is not blank; the proxy responded with 401.";
    report({ message });
    return errorResponse(401, unauthenticated);
  }
  const key = kind === "submit" ? (request.headers.get("idempotency-key") ?? "") : undefined;
  if (key === "" || (key !== undefined && key.length > maxKeyLength)) {
    const detail = `Idempotency-Key must have 1 to ${maxKeyLength} characters. Without a key, a retry would be charged twice.`;
    return errorResponse(400, detail);
  }
  const call: ProxyCall = { user, kind, idempotencyKey: key, request };
  try {
    const verdict = limit ? await limit(call) : true;
    return verdict === true ? call : limitExceeded(verdict);
  } catch (cause) {
    const message = "limit threw an error; the proxy responded with 503. See cause.";
    report({ message, user: id, cause });
    return errorResponse(503, "The proxy could not check the limit of this user.");
  }
}

function limitExceeded(verdict: unknown): Response {
  const { retryAfter }: { retryAfter?: unknown } = Object(verdict);
  const seconds =
    typeof retryAfter === "number" && retryAfter >= 0 ? retryAfter : defaultRetryAfter;
  return errorResponse(429, "This user has reached the limit of the proxy.", {
    "retry-after": String(Math.min(Math.ceil(seconds), maxRetryAfter)),
  });
}
