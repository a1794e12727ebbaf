import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { gained, proceedWith } from "./balance.ts";
import { buy, packs, paymentToken } from "./purchase.ts";

/** Purchases with a test key, which are none. */
export const testPurchaseChecks: readonly Check[] = [
  {
    id: "purchase.test-key.succeeds",
    title: "With a test key the purchase of every pack is answered succeeded, whatever the token",
    rules: ["purchase.test-key.fake-success"],
    level: "safe",
    on: "test",
    credits: 0,
    async run(session) {
      for (const pack of Object.keys(packs)) await succeeds(session, pack, "");
      // A processor that was asked would decline this one.
      await succeeds(session, "demo", "declined_");
    },
  },
  {
    id: "purchase.test-key.nothing-granted",
    title: "A purchase with a test key adds nothing to the balance",
    rules: ["purchase.test-key.nothing-granted"],
    level: "safe",
    on: "test",
    credits: 0,
    async run(session) {
      const { key } = session;
      const token = paymentToken(session);
      const { result, credits } = await gained(session, key, () => buy(session, key, { token }));
      must(credits === 0, `A purchase with a test key changed the balance by ${credits}.`, result);
    },
  },
  {
    id: "purchase.test-key.credits-added",
    title: "A purchase with a test key reports the credits of its pack, or none",
    rules: ["purchase.test-key.reported-credits"],
    level: "safe",
    on: "test",
    credits: 0,
    async run(session) {
      const answer = await buy(session, session.key, { token: paymentToken(session), pack: "pro" });
      proceedWith(answer, 200);
      const { credits_added: added } = fieldsOf(answer.json);
      must(
        added === 0 || added === packs["pro"]?.credits,
        `A test key's purchase of the pack pro says credits_added ${String(added)}.`,
        answer,
      );
    },
  },
];

async function succeeds(session: Session, pack: string, word: string): Promise<HttpResponse> {
  const token = paymentToken(session, word);
  const answer = await buy(session, session.key, { token, pack });
  const { status } = fieldsOf(answer.json);
  must(
    answer.status === 200 && status === "succeeded",
    `A test key's purchase of the pack ${pack} was answered ${answer.status} ${String(status)}.`,
    answer,
  );
  return answer;
}
