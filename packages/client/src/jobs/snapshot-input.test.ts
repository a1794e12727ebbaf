import { expect, it } from "vitest";

import { createMock } from "@tryon/mock";

import { TryOn } from "../index.ts";
import { input } from "../../test/service.ts";

it("takes the input as it is at the call, however deep it is changed afterwards", async () => {
  const mock = createMock();
  const { keys, baseUrl, fetch } = mock;
  const tryon = new TryOn({ apiKey: keys.test, baseUrl, fetch });
  const metadata = { order: { id: 17 } };
  const garments = [...input.garments];
  const work = tryon.submit({ ...input, garments, metadata });
  metadata.order.id = 18;
  garments.pop();
  expect((await work).data.metadata).toEqual({ order: { id: 17 } });
  expect(garments).toEqual([]);
});

it("finds metadata that goes round in circles, and bytes that were given away, wrong before anything is sent", async () => {
  const mock = createMock();
  const { keys, baseUrl, fetch } = mock;
  const tryon = new TryOn({ apiKey: keys.test, baseUrl, fetch });
  const metadata: Record<string, unknown> = {};
  metadata["self"] = metadata;
  expect(await tryon.validate({ ...input, metadata })).toMatchObject([{ code: "not_json" }]);
  const bytes = new Uint8Array([1, 2, 3]);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  for (const person of [bytes, bytes.buffer]) {
    expect(await tryon.validate({ ...input, person })).toMatchObject([
      { field: "person", code: "empty" },
    ]);
  }
  expect(mock.journal.entries()).toEqual([]);
});
