import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { MemoryStore } from "../store/memory.ts";
import type { Store, Transaction } from "../store/store.ts";
import { bareService } from "../testing/bare-service.ts";
import { asset } from "../testing/pictures.ts";
import { shows } from "../testing/shows.ts";

/** A store that notes everything that is ever written to it. */
function noting(): { store: Store; written: unknown[] } {
  const written: unknown[] = [];
  const memory = new MemoryStore();
  const note = (transaction: Transaction): Transaction =>
    new Proxy(transaction, {
      get(target, name) {
        // The names that are asked for are those of the interface, and all of them are methods.
        const method = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return (...values: unknown[]) => {
          if (/^(put|add)/.test(String(name))) written.push(...values);
          return method.apply(target, values);
        };
      },
    });
  return { written, store: { transact: (work) => memory.transact((inner) => work(note(inner))) } };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  // The flag gives every new context a function of that name.
  (runInNewContext("gc") as () => void)();
}

describe("the pictures of a request", () => {
  test("are never written to the store, and gone from the engine's hands when the job has ended", async () => {
    shows("privacy.inputs.dropped");
    const { store, written } = noting();
    const stock = stockEngine();
    let held: WeakRef<object> | undefined;
    const { service, world } = bareService({
      store,
      engine: {
        name: "watching",
        render: (request) => {
          held = new WeakRef(request);
          return stock.render(request);
        },
      },
    });
    const key = await service.keys.create({});
    const person = asset("person.jpg");
    const garment = asset("shirt.png");
    const body = { person_image_b64: person, garment_images_b64: [garment], wait: false };
    await service.submissions.submit({
      keyId: key.id,
      fields: body,
      body,
      idempotencyKey: "order-1",
      origin: "https://a.example",
    });
    await world.clock.advance("2s");
    collectGarbage();
    expect(held?.deref()).toBeUndefined();
    expect(written.length).toBeGreaterThan(4);
    const text = JSON.stringify(written);
    for (const picture of [person, garment]) {
      for (let at = 0; at + 40 <= picture.length; at += 997) {
        expect(text).not.toContain(picture.slice(at, at + 40));
      }
    }
  });
});
