import { expect, onTestFinished, test, vi } from "vitest";

import type { Network } from "../delivery/network.ts";
import { stockEngine } from "../engine/stock.ts";
import { Store } from "../store/store.ts";
import { Table } from "../store/table.ts";
import { bareService } from "../../test/bare-service.ts";
import { imageHost } from "../../test/image-host.ts";
import { bytesWithin, imagesWithin } from "../../test/image-traces.ts";
import { asset, assetBytes } from "../../test/images.ts";
import { collectGarbage } from "../../test/collect-garbage.ts";
import type { SubmissionFields } from "./submission.ts";

const sent = {
  person_image_b64: asset("person.jpg"),
  garment_images_b64: [asset("shirt.png")],
};

/** Runs a job to its end, and returns all writes and what is left of the engine's input. */
async function runJob(fields: SubmissionFields, network?: Network) {
  const store = new Store();
  const writes = vi.spyOn(Table.prototype, "put");
  onTestFinished(() => writes.mockRestore());
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
  const key = service.keys.create({});
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
  const written = writes.mock.calls.flat();
  expect(store.transact((tables) => tables.deliveries.all())).toHaveLength(1);
  expect(written.length).toBeGreaterThan(4);
  return { input: input?.deref(), stored: written };
}

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
])("the images of a request are dropped when the job ends: %s", async (_how, given) => {
  const { fields, network } = await given();
  const { input, stored } = await runJob(fields, network);
  expect(input).toBeUndefined();
  expect([...bytesWithin(stored)].some((part) => part.length > 1_000)).toBe(true);
  expect(imagesWithin(stored)).toEqual([]);
});
