import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import type { Key } from "../../target/keys.ts";

/** Returns a live key to pay with: a new one where the kit can make keys, otherwise the key of the run. */
export async function payingKey(session: Session): Promise<Key> {
  return session.context.control === undefined ? session.key : session.freshKey({ credits: 100 });
}

/** Does some work and measures by how much it changes the balance of a key. */
export async function balanceChange<Result>(
  session: Session,
  key: Key,
  work: () => Promise<Result>,
): Promise<{ result: Result; credits: number; account: HttpResponse; isShared: boolean }> {
  const { sent } = session;
  const before = await readAccount(session, key);
  const result = await work();
  const after = await readAccount(session, key);
  return {
    result,
    credits: after.balance - before.balance,
    account: after.response,
    isShared: after.requests - before.requests > session.sent - sent,
  };
}

/**
 * Does some work that must change the balance of a key by this many credits.
 *
 * @param what subject of the message.
 * @throws SkipCheck when others use the key at the same time, so that the cost is unclear.
 */
export async function mustChangeBalance<Result>(
  session: Session,
  key: Key,
  { by, what }: { readonly by: number; readonly what: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const { result, credits, account, isShared } = await balanceChange(session, key, work);
  const shared = "Another process used the key at the same time. Use a key for this alone.";
  need(credits === by || !isShared, shared);
  const message = `Expected ${what} to change the balance by ${by} credits, got ${credits}.`;
  must(credits === by, message, account);
  return result;
}

/** Returns the balance of a key. @throws SkipCheck when the account lacks it, which has other checks. */
export async function readBalance(session: Session, key: Key): Promise<number> {
  return (await readAccount(session, key)).balance;
}

/** @throws SkipCheck unless a response has the status that a check continues from. */
export function skipUnlessStatus(response: HttpResponse, status: number): void {
  const message = `This check needs a response with ${status} first and got ${response.status}, which has other checks.`;
  need(response.status === status, message);
}

async function readAccount(session: Session, key: Key) {
  const response = await session.account({ key });
  const { credits_remaining: balance, total_calls: requests } = fieldsOf(response.json);
  const isKnown = typeof balance === "number" && typeof requests === "number";
  need(isKnown, "The account has no balance, which has other checks.");
  return { balance, requests, response };
}
