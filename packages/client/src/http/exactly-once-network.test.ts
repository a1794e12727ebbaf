import { createMock, type FaultInput } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { expect, it, onTestFinished } from "vitest";

import { isTryOnError, TryOn } from "../index.ts";
import { httpServer } from "../../test/http-server.ts";
import { assetBytes, input, personUrl, profile, shirtUrl } from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

const on = "POST /api/v1/tryon";

/** A served reference server, and a client whose pauses between attempts are as good as none. */
async function setUp() {
  const mock = createMock({ profile, latency: 0 });
  const server = await serve(mock, { port: 0 });
  onTestFinished(() => server.close());
  const { live: apiKey } = mock.keys;
  const tryon = new TryOn({ apiKey, baseUrl: server.url, random: () => 0.001 });
  const submissions = () => mock.journal.entries({ method: "POST", path: "/api/v1/tryon" });
  return { mock, tryon, submissions };
}

const faults: readonly (readonly [string, Partial<FaultInput>])[] = [
  ["is reset before the work", { reset: "before" }],
  ["is reset after the work", { reset: "after" }],
  ["ends in the midst of the answer", { truncateAt: 10 }],
  ["is answered by a proxy", { status: 502 }],
  ["meets an error of the server", { status: 500 }],
];

it.each(faults)("pays once for a try-on whose connection %s, twice", async (_name, fault) => {
  const { mock, tryon, submissions } = await setUp();
  mock.faults.add({ on, times: 2, ...fault });
  const shirt = assetBytes("shirt.png");
  const result = await tryon.run({ ...input, garments: [shirt] }, { idempotencyKey: "order-17" });
  expect(result.receipt.attempts).toHaveLength(3);
  expect(submissions().map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    Array.from({ length: 3 }, () => "order-17"),
  );
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
});

it("pays once for a submission by hand, which has a key of its own", async () => {
  const { mock, tryon, submissions } = await setUp();
  mock.faults.add({ on, times: 2, reset: "after" });
  const body = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };
  expect((await createRawClient(tryon).POST("/api/v1/tryon", { body })).response.status).toBe(200);
  expect(new Set(submissions().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
});

it("gives the job to recover when every connection of a call was reset after the work", async () => {
  const { mock, tryon } = await setUp();
  mock.faults.add({ on, times: 4, reset: "after" });
  const error: unknown = await tryon.submit(input).catch((thrown: unknown) => thrown);
  if (!isTryOnError(error, "outcome_unknown")) throw error;
  const job = await error.recover();
  expect(job.idempotencyKey).toBe(error.idempotencyKey);
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
});

it.each([301, 302, 307, 308])(
  "names where a %i sends an upload, and sends it once",
  async (status) => {
    const { url, got } = await httpServer((response) => {
      response.writeHead(status, { location: "https://new.example/api/v1/tryon" }).end();
    });
    const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: url });
    const error: unknown = await tryon
      .submit({ person: assetBytes("person.jpg"), garments: [assetBytes("shirt.png")] })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "redirected", status });
    expect(String(error)).toContain("https://new.example/api/v1/tryon");
    expect(got).toHaveLength(1);
  },
);
