import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, test } from "vitest";

import type { Network } from "../delivery/network.ts";
import { stockEngine } from "../engine/stock.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Store, Transaction } from "../store/store.ts";
import { bareService } from "../../test/bare-service.ts";
import { imageHost } from "../../test/image-host.ts";
import { bytesWithin, imagesWithin } from "../../test/image-traces.ts";
import { asset, assetBytes } from "../../test/images.ts";
import { covers } from "../../test/covers.ts";
import type { SubmissionFields } from "./submission.ts";

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

const sent = {
  person_image_b64: asset("person.jpg"),
  garment_images_b64: [asset("shirt.png")],
};

/** Submits and lets the job end; gives what was written on the way, and what the engine held. */
async function afterTheEnd(fields: SubmissionFields, network?: Network) {
  const { store, written } = noting();
  const stock = stockEngine();
  let held: WeakRef<object> | undefined;
  const { service, system } = bareService({
    store,
    ...(network && { network }),
    engine: {
      name: "watching",
      render: (request) => {
        expect(request.person.source).toBe("bytes");
        held = new WeakRef(request);
        return stock.render(request);
      },
    },
  });
  const key = await service.keys.create({});
  const body = { ...fields, wait: false, webhook_url: "https://shop.example/hook" };
  await service.submissions.submit({
    keyId: key.id,
    fields: body,
    body,
    idempotencyKey: "order-1",
    origin: "https://a.example",
  });
  await system.clock.advance("2s");
  collectGarbage();
  expect(held).toBeDefined();
  const deliveries = store.transact((transaction) => transaction.deliveries());
  expect(deliveries).toHaveLength(1);
  expect(written.length).toBeGreaterThan(4);
  return { held: held?.deref(), kept: [...written, ...deliveries] };
}

describe("the images of a request", () => {
  test.each([
    ["sent as base64", () => ({ fields: sent, network: undefined })],
    [
      "fetched",
      async () => {
        const { url, network } = await imageHost((request, response) => {
          response.end(assetBytes(request.url === "/person.jpg" ? "person.jpg" : "shirt.png"));
        });
        const fields = { person_url: `${url}/person.jpg`, garment_urls: [`${url}/shirt.png`] };
        return { fields, network };
      },
    ],
  ])("are nowhere any more when the job has ended: %s", async (_how, given) => {
    covers("privacy.inputs.dropped");
    const { fields, network } = await given();
    const { held, kept } = await afterTheEnd(fields, network);
    expect(held).toBeUndefined();
    expect([...bytesWithin(kept)].some((part) => part.length > 1_000)).toBe(true);
    expect(imagesWithin(kept)).toEqual([]);
  });
});
