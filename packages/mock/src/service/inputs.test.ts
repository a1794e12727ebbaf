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

/** Creates a store that records every write. */
function recordingStore(): { store: Store; written: unknown[] } {
  const written: unknown[] = [];
  const memory = new MemoryStore();
  const record = (transaction: Transaction): Transaction =>
    new Proxy(transaction, {
      get(target, name) {
        // All members of the interface are methods.
        const method = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return (...values: unknown[]) => {
          if (/^(put|add)/.test(String(name))) written.push(...values);
          return method.apply(target, values);
        };
      },
    });
  return {
    written,
    store: { transact: (work) => memory.transact((inner) => work(record(inner))) },
  };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  // The flag adds this function to every new context.
  (runInNewContext("gc") as () => void)();
}

const sent = {
  person_image_b64: asset("person.jpg"),
  garment_images_b64: [asset("shirt.png")],
};

/** Runs a job to its end, and returns all writes and what is left of the engine's input. */
async function runJob(fields: SubmissionFields, network?: Network) {
  const { store, written } = recordingStore();
  const stock = stockEngine();
  let input: WeakRef<object> | undefined;
  const { service, system } = bareService({
    store,
    ...(network && { network }),
    engine: {
      name: "recording",
      render: (request) => {
        expect(request.person.source).toBe("bytes");
        input = new WeakRef(request);
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
  expect(input).toBeDefined();
  const deliveries = store.transact((transaction) => transaction.deliveries());
  expect(deliveries).toHaveLength(1);
  expect(written.length).toBeGreaterThan(4);
  return { input: input?.deref(), stored: [...written, ...deliveries] };
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
  ])("are dropped when the job ends: %s", async (_how, given) => {
    covers("privacy.inputs.dropped");
    const { fields, network } = await given();
    const { input, stored } = await runJob(fields, network);
    expect(input).toBeUndefined();
    expect([...bytesWithin(stored)].some((part) => part.length > 1_000)).toBe(true);
    expect(imagesWithin(stored)).toEqual([]);
  });
});
