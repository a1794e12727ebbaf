import { expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { MemoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import { bareService } from "../../test/bare-service.ts";
import { tryOn } from "../../test/caller.ts";
import { turn } from "../system/host.ts";

async function someTurns(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await turn();
}

/** A promise that is kept from outside. */
function gate(): { readonly passed: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test("a twin whose store is slow to tell it of the first call is answered all the same", async () => {
  const memory = new MemoryStore();
  let slowness: Promise<void> | undefined;
  const store: Store = {
    async transact(work) {
      const slow = slowness;
      const result = await memory.transact(work);
      await slow;
      return result;
    },
  };
  const engineReached = gate();
  const stock = stockEngine();
  const { service } = bareService({
    store,
    engine: { ...stock, prepare: () => engineReached.passed },
  });
  const key = await service.keys.create({});
  const body = tryOn();
  const call = {
    keyId: key.id,
    fields: body,
    body,
    idempotencyKey: "a",
    origin: "https://a.example",
  };

  const first = service.submissions.submit(call);
  await someTurns();
  const twinTold = gate();
  slowness = twinTold.passed;
  const twin = service.submissions.submit(call);
  await someTurns();
  slowness = undefined;
  engineReached.open();
  const { job } = await first;
  twinTold.open();
  expect(await twin).toMatchObject({ job: { id: job.id }, replayed: true });
});
