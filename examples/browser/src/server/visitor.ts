import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

const name = "visitor";

/**
 * Makes a visitor and the cookie that proves who it is. A toy: in a shop, the session that is there already tells who the
 * customer is.
 */
export function newVisitor(secret: string): string {
  const user = randomUUID();
  return `${name}=${user}.${signature(user, secret)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000`;
}

/** The visitor that a cookie header proves, if it proves one. */
export function visitorOf(cookies: string | null, secret: string): string | undefined {
  const value = cookies
    ?.split("; ")
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  const [user = "", proof = ""] = value?.split(".") ?? [];
  const [given, right] = [Buffer.from(proof), Buffer.from(signature(user, secret))];
  const proven = user !== "" && given.length === right.length && timingSafeEqual(given, right);
  return proven ? user : undefined;
}

function signature(user: string, secret: string): string {
  return createHmac("sha256", secret).update(`visitor ${user}`).digest("base64url");
}
