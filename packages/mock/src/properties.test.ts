import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { stockEngine } from "./engine/stock.ts";
import { createMock, type Mock } from "./mock.ts";
import { optionTable, type OptionRow, type Options } from "./options.ts";
import { caller, tryOn } from "../test/caller.ts";
import { runSteps, step, steppedServer } from "../test/steps.ts";

const rows: readonly OptionRow[] = optionTable;

/** Random options. */
const anyOptions = fc
  .record(Object.fromEntries(rows.map(({ id, values }) => [id, fc.constantFrom(...values)])))
  // Each value comes from the row of its option.
  .map((options) => options as Partial<Options>);

/** Values of a field: of its type, similar ones, or any JSON. */
const anyField = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("1k", "8K", "async", "https://a.example/x.png", "mock:never", "data:,", ""),
  fc.integer(),
  fc.array(fc.constantFrom("https://a.example/x.png", "http://10.0.0.1", "AAAA", ""), {
    maxLength: 5,
  }),
  fc.dictionary(fc.string({ maxLength: 300 }), fc.jsonValue(), { maxKeys: 10 }),
);
const fieldNames = [
  "person_url",
  "person",
  "person_image_b64",
  "garment_urls",
  "items",
  "garment_images_b64",
  "output_size",
  "size",
  "prompt",
  "style_hint",
  "negative_prompt",
  "wait",
  "mode",
  "webhook_url",
  "metadata",
  "seed",
  "__proto__",
];
const almostValidTryOn = fc
  .dictionary(fc.constantFrom(...fieldNames), anyField, { maxKeys: 6 })
  .map((fields) => ({ ...tryOn(), ...fields }));

/** Sends a body and moves the clock by 90 s. The caller checks the response against the contract. */
async function send(mock: Mock, path: string, body: BodyInit): Promise<number> {
  const response = caller(mock).call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await mock.clock.advance("90s");
  return (await response).status;
}

const paths = ["/api/v1/tryon", "/api/v1/credits/purchase", "/api/webhooks/payments"] as const;
// One engine keeps its rendered images for all runs.
const engine = stockEngine();
const sendWebhook = async (): Promise<Response> => new Response();

describe("any request gets a response of the contract below 500", () => {
  test("with any JSON body", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue(), almostValidTryOn, almostValidTryOn, almostValidTryOn),
        fc.constantFrom(...paths),
        anyOptions,
        async (body, path, options) => {
          const mock = createMock({ clock: "manual", seed: 1, engine, options, sendWebhook });
          const status = await send(mock, path, JSON.stringify(body));
          // The option syncCut responds with 504.
          expect(status === 504 ? options.syncCut : status).toBeLessThan(500);
          mock.close();
        },
      ),
      { numRuns: cases(500) },
    );
  });

  test("with any bytes", async () => {
    const mock = createMock({ clock: "manual", seed: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(...paths),
        async (bytes, path) => {
          expect(await send(mock, path, new Uint8Array(bytes))).toBeLessThan(500);
        },
      ),
      { numRuns: cases(250) },
    );
  });

  test("with any path and query", async () => {
    const mock = createMock({ clock: "manual", seed: 1 });
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
        const { status } = await caller(mock).get(`/api/v1/tryon${path}?${query}`);
        expect(status).toBeLessThan(500);
        const { status: listed } = await caller(mock).get(`/api/v1/tryon?limit=${query}`);
        expect(listed).toBeLessThan(500);
      }),
      { numRuns: cases(250) },
    );
  });
});

test("after any sequence of requests a balance is the sum of its ledger and never below 0", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 14 }),
      fc.constantFrom("none", "failed", "failed-except-content-blocked"),
      async (steps, refund) => {
        const mock = steppedServer({ engine, options: { refund } });
        const { token } = await mock.createKey({ credits: 30 });
        const check = async (): Promise<void> => {
          const { entries = [], balance = Number.NaN } = (await mock.ledger(token)) ?? {};
          let running = 0;
          for (const entry of entries) {
            running += entry.credits;
            expect(running).toBeGreaterThanOrEqual(0);
          }
          expect(balance).toBe(running);
        };
        const { submissions } = await runSteps(mock, steps, token, check);
        await mock.clock.runAll();
        await Promise.all(submissions);
        await check();
        const jobs = (await caller(mock, token).list()).body.jobs;
        const takes = (await mock.ledger(token))?.entries.filter(({ cause }) => cause === "tryon");
        expect(takes).toHaveLength(jobs.length);
        mock.close();
      },
    ),
    { numRuns: cases(250) },
  );
});
