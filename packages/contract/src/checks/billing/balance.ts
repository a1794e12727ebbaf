import { CheckFailure, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import type { Key } from "../../target/keys.ts";

/** Balance and number of requests of an account. */
interface AccountState {
  readonly balance: number;
  readonly requests: number;
  readonly response: HttpResponse;
}

/** Returns a live key to pay with: a new one where the kit can make keys, otherwise the key of the run. */
export async function payingKey(session: Session, credits = 100): Promise<Key> {
  return session.context.control === undefined ? session.key : session.freshKey({ credits });
}

/** Returns the balance of a key. @throws SkipCheck when the account lacks it, which has other checks. */
export async function readBalance(session: Session, key: Key): Promise<number> {
  return (await readAccount(session, key)).balance;
}

/**
 * Does some work that must take this many credits.
 *
 * @param what subject of the message.
 * @throws SkipCheck when others use the key at the same time, so that the cost is unclear.
 */
export async function mustCost<Result>(
  session: Session,
  key: Key,
  { credits, what }: { readonly credits: number; readonly what: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const { sent } = session;
  const before = await readAccount(session, key);
  const result = await work();
  const after = await readAccount(session, key);
  const taken = before.balance - after.balance;
  if (taken === credits) return result;
  if (after.requests - before.requests > session.sent - sent) {
    throw new SkipCheck("Another process used the key at the same time. Use a key for this alone.");
  }
  throw new CheckFailure(
    `Expected ${what} to take ${credits} credits, got ${taken}.`,
    after.response,
  );
}

/** Measures by how much some work changes the balance of a key. */
export async function balanceChange<Result>(
  session: Session,
  key: Key,
  work: () => Promise<Result>,
): Promise<{ result: Result; credits: number }> {
  const before = await readBalance(session, key);
  const result = await work();
  return { result, credits: (await readBalance(session, key)) - before };
}

/** @throws SkipCheck unless a response has the status that a check continues from. */
export function skipUnlessStatus(response: HttpResponse, status: number): void {
  if (response.status === status) return;
  throw new SkipCheck(
    `This check needs a response with ${status} first and got ${response.status}, which has other checks.`,
  );
}

async function readAccount(session: Session, key: Key): Promise<AccountState> {
  const response = await session.account({ key });
  const { credits_remaining: balance, total_calls: requests } = fieldsOf(response.json);
  if (typeof balance === "number" && typeof requests === "number") {
    return { balance, requests, response };
  }
  throw new SkipCheck("The account has no balance, which has other checks.");
}
