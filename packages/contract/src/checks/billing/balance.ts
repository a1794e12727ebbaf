import { CheckFailure, SkipCheck } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";

/** What an account says of money. */
interface Standing {
  readonly balance: number;
  readonly calls: number;
  readonly answer: HttpResponse;
}

/** A live key to pay with: one of its own where the kit can make keys, else that of the run. */
export async function payingKey(session: Session, credits = 100): Promise<Key> {
  return session.bench.control === undefined ? session.key : session.freshKey({ credits });
}

/** The balance of a key. @throws Skip when it cannot be read: what an account says is a claim of other checks. */
export async function readBalance(session: Session, key: Key): Promise<number> {
  return (await standing(session, key)).balance;
}

/**
 * Does something, and makes sure of what that takes from the balance of a key.
 *
 * @param what the subject of the sentence that says what went wrong.
 * @throws Skip when others use the key at the same time, so that there is no telling who spent what.
 */
export async function mustTake<Result>(
  session: Session,
  key: Key,
  { credits, what }: { readonly credits: number; readonly what: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const { sent } = session;
  const before = await standing(session, key);
  const result = await work();
  const after = await standing(session, key);
  const taken = before.balance - after.balance;
  if (taken === credits) return result;
  if (after.calls - before.calls > session.sent - sent) {
    throw new SkipCheck(
      "Somebody else used the key at the same time; run this with a key that nobody else uses.",
    );
  }
  throw new CheckFailure(`${what} took ${taken} credits, and not ${credits}.`, after.answer);
}

/** What came onto the balance of a key while something was done; less than 0 when something was taken. */
export async function gained<Result>(
  session: Session,
  key: Key,
  work: () => Promise<Result>,
): Promise<{ result: Result; credits: number }> {
  const before = await readBalance(session, key);
  const result = await work();
  return { result, credits: (await readBalance(session, key)) - before };
}

/** @throws Skip unless an answer has the status that a check goes on from. */
export function proceedWith(answer: HttpResponse, status: number): void {
  if (answer.status === status) return;
  throw new SkipCheck(
    `This starts from an answer with ${status}, and ${answer.status} came, which other checks look at.`,
  );
}

async function standing(session: Session, key: Key): Promise<Standing> {
  const answer = await session.account({ key });
  const { credits_remaining: balance, total_calls: calls } = fieldsOf(answer.json);
  if (typeof balance === "number" && typeof calls === "number") return { balance, calls, answer };
  throw new SkipCheck("The account does not tell the balance, which other checks look at.");
}
