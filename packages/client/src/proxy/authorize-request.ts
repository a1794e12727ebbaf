import { errorResponse } from "./error-response.ts";
import type { ProxyCall, ProxyError, ProxyKind, ProxyOptions, ProxyUser } from "./options.ts";

/** Maximum length of an idempotency key, in characters, as in the service. */
const maxKeyLength = 200;
/** `Retry-After` if `limit` returns no valid one, in seconds. */
const defaultRetryAfter = 3_600;
/** Maximum `Retry-After`, in seconds. A client could misread a much larger number as a date. */
const maxRetryAfter = 31_536_000;

const failed = "The proxy could not authenticate the request.";
const unauthenticated = "The request has no authenticated user. Sign in first.";

/** Request of a known user within the user's limit. */
export interface AuthorizedRequest<User extends ProxyUser> {
  readonly userId: string;
  readonly call: ProxyCall<User>;
}

/** Authenticates a request and applies the limit of its user; returns an error response if either rejects it. */
export async function authorizeRequest<User extends ProxyUser>(
  request: Request,
  kind: ProxyKind,
  authorize: () => ReturnType<ProxyOptions<User>["authorize"]>,
  limit: ProxyOptions<User>["limit"],
  report: (error: ProxyError) => void,
): Promise<AuthorizedRequest<User> | Response> {
  let user: User | Response | null | undefined | false;
  try {
    user = await authorize();
  } catch (cause) {
    report({
      message: "authorize threw an error; the proxy responded with 500. See cause.",
      cause,
    });
    return errorResponse(500, failed);
  }
  if (user instanceof Response) {
    if (!user.bodyUsed && user.status > 0) return user;
    report({ message: "authorize must return a new, unused Response for each request." });
    return errorResponse(500, failed);
  }
  if (user === null || user === undefined || user === false)
    return errorResponse(401, unauthenticated);
  // Callers without types can return anything, and users with an empty id would share their jobs.
  const { id: userId }: { id?: unknown } = Object(user);
  if (typeof userId !== "string" || userId.trim() === "") {
    report({
      message:
        "authorize must return { id } with a string that is not blank; the proxy responded with 401.",
    });
    return errorResponse(401, unauthenticated);
  }
  const key = kind === "submit" ? (request.headers.get("idempotency-key") ?? "") : "";
  if (kind === "submit" && (key === "" || key.length > maxKeyLength)) {
    return errorResponse(
      400,
      `Idempotency-Key must have 1 to ${maxKeyLength} characters. Without a key, a retry would be charged twice.`,
    );
  }
  const call = { user, kind, idempotencyKey: key || undefined, request };
  if (limit) {
    try {
      const verdict = await limit(call);
      if (verdict !== true) return limitExceeded(verdict);
    } catch (cause) {
      const message = "limit threw an error; the proxy responded with 503. See cause.";
      report({ message, user: userId, cause });
      return errorResponse(503, "The proxy could not check the limit of this user.");
    }
  }
  return { userId, call };
}

function limitExceeded(verdict: unknown): Response {
  const { retryAfter }: { retryAfter?: unknown } = Object(verdict);
  const seconds =
    typeof retryAfter === "number" && retryAfter >= 0 ? retryAfter : defaultRetryAfter;
  return errorResponse(429, "This user has reached the limit of the proxy.", {
    "retry-after": String(Math.min(Math.ceil(seconds), maxRetryAfter)),
  });
}
