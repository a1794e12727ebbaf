import type { ProxyCall, ProxyKind, ProxyOptions, ProxyError, ProxyUser } from "./options.ts";
import { refuse } from "./refusal.ts";

/** The longest key that the service takes, in characters. */
const longestKey = 200;
/** For how long a limit refuses that does not say for how long, in seconds. */
const usualRetryAfter = 3_600;
/** The longest time that a limit refuses for, in seconds: what is much larger would be read as a date, or as nothing. */
const longestRetryAfter = 31_536_000;

const unknown = "The proxy could not find out who asks.";

/** A request that was let in. */
export interface Admitted<User extends ProxyUser> {
  readonly userId: string;
  readonly call: ProxyCall<User>;
}

/** Lets a request in that comes from a user and is within the user's limit, or says why not. */
export async function admit<User extends ProxyUser>(
  request: Request,
  kind: ProxyKind,
  authorize: () => ReturnType<ProxyOptions<User>["authorize"]>,
  limit: ProxyOptions<User>["limit"],
  report: (trouble: ProxyError) => void,
): Promise<Admitted<User> | Response> {
  let user: User | Response | null | undefined | false;
  try {
    user = await authorize();
  } catch (cause) {
    report({ message: "authorize threw, and nobody was let in: look at the cause.", cause });
    return refuse(500, unknown);
  }
  if (user instanceof Response) {
    if (!user.bodyUsed && user.status > 0) return user;
    report({
      message: "authorize gave a Response that cannot be sent: make a new one for each request.",
    });
    return refuse(500, unknown);
  }
  if (user === null || user === undefined || user === false) return refuseStranger();
  // Types cannot stop those who do not use them, and an empty name would be shared by all who have none.
  const { id: userId }: { id?: unknown } = Object(user);
  if (typeof userId !== "string" || userId.trim() === "") {
    report({ message: "authorize gave no user, and nobody was let in: give { id }, a text." });
    return refuseStranger();
  }
  const key = kind === "submit" ? (request.headers.get("idempotency-key") ?? "") : "";
  if (kind === "submit" && (key === "" || key.length > longestKey)) {
    return refuse(
      400,
      `Idempotency-Key is missing or longer than ${longestKey} characters: without one, a retry would be paid for twice.`,
    );
  }
  const call = { user, kind, idempotencyKey: key || undefined, request };
  if (limit) {
    try {
      const verdict = await limit(call);
      if (verdict !== true) return refuseMore(verdict);
    } catch (cause) {
      report({
        message: "limit threw, and the request was refused: look at the cause.",
        user: userId,
        cause,
      });
      return refuse(503, "The proxy could not find out how much may be asked for.");
    }
  }
  return { userId, call };
}

function refuseStranger(): Response {
  return refuse(401, "The proxy lets in nobody it does not know: sign in first.");
}

function refuseMore(verdict: unknown): Response {
  const { retryAfter }: { retryAfter?: unknown } = Object(verdict);
  const seconds = typeof retryAfter === "number" && retryAfter >= 0 ? retryAfter : usualRetryAfter;
  return refuse(429, "This is more than one visitor may ask for now.", {
    "retry-after": String(Math.min(Math.ceil(seconds), longestRetryAfter)),
  });
}
