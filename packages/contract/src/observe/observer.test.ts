import { createMock, optionTable, type MockOptions, type Options } from "@tryon/mock";
import { cases, seed } from "@tryon/test-kit/cases";
import { assert, asyncProperty, constantFrom, uniqueArray } from "fast-check";
import { describe, expect, test } from "vitest";

import { anyOptions } from "../../test/run-checks.ts";
import { observe, recordScenes, sceneNames, sessionOf, Traffic } from "../../test/traffic.ts";

/** Options that no traffic through a proxy shows, or only with contents that are not recorded. */
const hidden = new Set([
  ...optionTable.filter(({ observable }) => !observable).map(({ id }) => id),
  "metadataCount",
  "garmentDataUris",
  "filterName",
  "expiredStatus",
  "webhookBody",
  "purchaseRepeat",
  "repeatCredits",
  "totalCalls",
  "rateWindow",
  "oversize",
]);

/** Options that traffic shows only with some values of others. */
const masked = new Set([
  "resetUnit",
  "reportQueued",
  "maxLimit",
  "fieldStatus",
  "echoInput",
  "unknownPack",
]);

const middle = {
  refund: "failed",
  unknownCursor: 422,
  timeFormat: "offset",
  rateHeaders: "429-only",
} as const;

describe("the values of every option that traffic shows are those of the server:", () => {
  test.each<[string, MockOptions]>([
    ["default", {}],
    ["alternate", { profile: "alternate" }],
    ["alternate with other values", { profile: "alternate", options: middle }],
    ["default with other values", { options: { ...middle, reportQueued: true, maxLimit: 50 } }],
  ])("%s", async (_, given) => {
    const { session, options } = await recordScenes(sceneNames, { concurrency: 1, ...given });
    const { shown: seen, contradicting, breaks, unknown } = observe(session);
    const expected = Object.entries(options).filter(([id]) => !hidden.has(id));
    expect(Object.keys(seen).filter((id) => hidden.has(id))).toEqual([]);
    const missing = expected.filter(([id]) => !(id in seen)).map(([id]) => id);
    expect(missing.filter((id) => !masked.has(id))).toEqual([]);
    expect({ ...Object.fromEntries(expected), ...seen }).toEqual(Object.fromEntries(expected));
    expect([contradicting, breaks, unknown]).toEqual([[], [], []]);
  });
});

test("no random traffic of a random server shows a wrong value", async () => {
  const property = asyncProperty(
    anyOptions,
    uniqueArray(constantFrom(...sceneNames), { minLength: 1, maxLength: 5 }),
    constantFrom(1, 2, 100),
    async (options, some, concurrency) => {
      const { session } = await recordScenes(some, { options, concurrency });
      const { shown, contradicting, breaks } = observe(session);
      expect(options).toMatchObject(shown);
      expect([contradicting, breaks]).toEqual([[], []]);
    },
  );
  await assert(property, { numRuns: cases(300, 20), seed });
});

test.each<Partial<Options>>([
  { limitBounds: "clamp" },
  { limitBounds: "clamp", unknownCursor: "empty" },
  { jsonTypes: "lax" },
  { refusedKey: "kept" },
  {},
])(
  "a request that can be refused for several reasons shows no wrong value with %j",
  async (options) => {
    const mock = createMock({ clock: "manual", seed: 1, options });
    const traffic = new Traffic(mock);
    const list = "/api/v1/tryon";
    await traffic.get(`${list}?cursor=nowhere`);
    await traffic.get(`${list}?limit=0&cursor=nowhere`);
    await traffic.get(`${list}?limit=0&status=unknown`);
    await traffic.submit({ wait: "false", person_image_b64: "AAAA" });
    await traffic.submit({ seed: "7", person_image_b64: "AAAA" });
    const { token: key } = await mock.createKey({ credits: 0 });
    const once = { key, "idempotency-key": traffic.unique() };
    await traffic.submit({}, once);
    const body = { pack_slug: "demo", shared_payment_granted_token: "spt_test_1" };
    await traffic.send("POST", "/api/v1/credits/purchase", { key, body });
    await traffic.submit({}, once);
    await traffic.submit({ seed: 5 }, once);
    const url = "http://shop.example/shirt.png";
    for (const early of [
      { person_image_b64: null },
      { person_image_b64: null, person_url: url },
      { person_url: url.replace("http", "https"), garment_images_b64: [] },
      { webhook_url: url },
    ]) {
      const header = { "idempotency-key": traffic.unique() };
      await traffic.submit(early, header);
      await traffic.submit({ seed: 5 }, header);
    }
    mock.close();
    const { shown, contradicting } = observe(sessionOf(traffic.exchanges));
    expect(mock.options).toMatchObject(shown);
    expect(contradicting).toEqual([]);
  },
);
