import type { Mock } from "../src/mock.ts";
import { caller } from "./caller.ts";

/** Returns everything that requests can read from a server; the requests themselves count. */
export async function observed(mock: Mock, token: string = mock.keys.live): Promise<unknown> {
  const call = caller(mock, token);
  const { body: account } = await call.account();
  const { body: list } = await call.list("?limit=50");
  return {
    now: mock.clock.now(),
    pending: mock.clock.pending,
    account,
    list,
    polls: await Promise.all(list.jobs.map(async ({ job_id }) => (await call.poll(job_id)).body)),
    ledger: await mock.ledger(token),
    deliveries: await mock.webhooks.deliveries(),
  };
}

/** Creates a key, a purchase and a job, and returns their ids. */
export async function nextIds(mock: Mock): Promise<readonly unknown[]> {
  const key = await mock.createKey();
  const call = caller(mock, key.token);
  const bought = await call.purchase({
    pack_slug: "demo",
    shared_payment_granted_token: `spt_${key.id}`,
  });
  const { body } = await call.submit();
  return [key.id, key.token, key.webhookSecret, bought.body.payment_intent_id, body.job_id];
}
