import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";

export async function balanceChange<Result>(session: Session, work: () => Promise<Result>) {
  const { sent } = session.http;
  const before = await readAccount(session);
  const result = await work();
  const after = await readAccount(session);
  return {
    result,
    credits: after.balance - before.balance,
    account: after.response,
    isShared: after.requests - before.requests > session.http.sent - sent,
  };
}

/**
 * Does some work that must change the balance by this many credits.
 *
 * @param what subject of the message.
 * @throws SkipCheck when others use the key at the same time, so that the cost is unclear.
 */
export async function mustChangeBalance<Result>(
  session: Session,
  by: number,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { result, credits, account, isShared } = await balanceChange(session, work);
  const shared = "Another process used the key at the same time. Use a key for this alone.";
  need(credits === by || !isShared, shared);
  const message = `Expected ${what} to change the balance by ${by} credits, got ${credits}.`;
  must(credits === by, message, account);
  return result;
}

export function skipUnlessStatus(response: HttpResponse, status: number): void {
  const message = `This check needs a response with ${status} first and got ${response.status}, which has other checks.`;
  need(response.status === status, message);
}

async function readAccount({ http }: Session) {
  const response = await http.account();
  const { credits_remaining: balance, total_calls: requests } = fieldsOf(response.json);
  const isKnown = typeof balance === "number" && typeof requests === "number";
  need(isKnown, "The account has no balance, which has other checks.");
  return { balance, requests, response };
}
