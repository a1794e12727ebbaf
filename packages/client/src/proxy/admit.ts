import type { ProxyKind, ProxyOptions, ProxyTrouble, ProxyVisitor } from "./options.ts";
import { refuse } from "./refusal.ts";

/** The longest key that the service takes, in characters. */
const longestKey = 200;
/** For how long a limit refuses that does not say for how long, in seconds. */
const usualRetryAfter = 3_600;

/** A visitor who was let in. */
export interface Admitted {
  readonly user: string;
  /** The visitor's own key of a submission; empty for anything else. */
  readonly key: string;
}

/** Lets a request in that comes from a user and is within the user's limit, or says why not. */
export async function admit<Visitor extends ProxyVisitor>(
  request: Request,
  kind: ProxyKind,
  { authorize, limit }: Pick<ProxyOptions<Visitor>, "authorize" | "limit">,
  report: (trouble: ProxyTrouble) => void,
): Promise<Admitted | Response> {
  let visitor: Visitor | Response | null | undefined | false;
  try {
    visitor = await authorize(request);
  } catch (cause) {
    report({ message: "authorize threw, and nobody was let in: look at the cause.", cause });
    return refuse(500, "The proxy could not find out who asks.");
  }
  if (visitor instanceof Response) return visitor;
  if (visitor === null || visitor === undefined || visitor === false) return refuseStranger();
  // Types cannot stop those who do not use them, and an empty name would be shared by all who have none.
  const { user }: { user?: unknown } = Object(visitor);
  if (typeof user !== "string" || user.trim() === "") {
    report({ message: "authorize gave no user, and nobody was let in: give { user }, a text." });
    return refuseStranger();
  }
  const key = kind === "submit" ? (request.headers.get("idempotency-key") ?? "") : "";
  if (kind === "submit" && (key === "" || key.length > longestKey)) {
    return refuse(
      400,
      `Idempotency-Key is missing or longer than ${longestKey} characters: without one, a retry would be paid for twice.`,
    );
  }
  if (limit) {
    try {
      const idempotencyKey = key || undefined;
      const verdict = await limit({ visitor, kind, idempotencyKey, request });
      if (verdict !== true) return refuseMore(verdict);
    } catch (cause) {
      report({
        message: "limit threw, and the request was refused: look at the cause.",
        user,
        cause,
      });
      return refuse(503, "The proxy could not find out how much may be asked for.");
    }
  }
  return { user, key };
}

function refuseStranger(): Response {
  return refuse(401, "The proxy lets in nobody it does not know: sign in first.");
}

function refuseMore(verdict: unknown): Response {
  const { retryAfter }: { retryAfter?: unknown } = Object(verdict);
  const seconds = Number(retryAfter) >= 0 ? Math.ceil(Number(retryAfter)) : usualRetryAfter;
  return refuse(429, "This is more than one visitor may ask for now.", {
    "retry-after": String(seconds),
  });
}
