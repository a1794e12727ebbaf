import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";
import { gained, proceedWith } from "./balance.ts";

/** The packs: what each costs in US dollars, and brings in credits. */
export const packs: Readonly<Record<string, { readonly price: number; readonly credits: number }>> =
  {
    demo: { price: 2, credits: 100 },
    starter: { price: 25, credits: 1_200 },
    pro: { price: 99, credits: 5_600 },
    scale: { price: 499, credits: 32_000 },
    enterprise: { price: 999, credits: 72_000 },
  };

/** A payment token that nobody has used; the processor of a reference server decides by what it begins with. */
export function paymentToken(session: Session, word = ""): string {
  return `spt_${word}${session.unique()}`;
}

/** Buys a pack of credits. */
export function buy(
  session: Session,
  key: Key,
  { token, pack = "demo" }: { readonly token: string; readonly pack?: string },
): Promise<HttpResponse> {
  return order(session, key, { pack_slug: pack, shared_payment_granted_token: token });
}

/** Sends the body of a purchase as it stands. */
export function order(session: Session, key: Key, body: Fields): Promise<HttpResponse> {
  return session.call("POST", "/api/v1/credits/purchase", { key, body });
}

/** A purchase with a key of its own, and what it brought. */
export interface Bought {
  readonly key: Key;
  readonly token: string;
  readonly answer: HttpResponse;
  readonly fields: Fields;
  /** What came onto the balance. */
  readonly credits: number;
}

/**
 * Buys a pack with a new key.
 *
 * @param word what the token says to the processor.
 * @throws Skip without the control API, since a payment is real elsewhere, and when the purchase is not answered 200.
 */
export async function bought(
  session: Session,
  { word = "", pack = "demo" }: { readonly word?: string; readonly pack?: string } = {},
): Promise<Bought> {
  const key = await session.freshKey({ credits: 10 });
  const token = paymentToken(session, word);
  const { result: answer, credits } = await gained(session, key, () =>
    buy(session, key, { token, pack }),
  );
  proceedWith(answer, 200);
  return { key, token, answer, fields: fieldsOf(answer.json), credits };
}
