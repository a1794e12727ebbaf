import { expect, it } from "vitest";

import { createRawClient } from "./index.ts";
import { respondWith, createService, cut } from "../../test/service.ts";
import { tryOn } from "../../test/proxy-service.ts";

it("returns data and errors like openapi-fetch, and retries", async () => {
  const { run, tryon, faults, sent } = createService();
  const raw = createRawClient(tryon);
  faults.push(cut.before);
  const { data } = await run(raw.GET("/api/v1/account"));
  expect(data?.credits_remaining).toBe(1_000);
  expect(sent).toHaveLength(2);
  const { error, response } = await run(
    raw.GET("/api/v1/tryon/{job_id}", { params: { path: { job_id: "job_1" } } }),
  );
  expect(response.status).toBe(404);
  expect(error).toHaveProperty("detail");
  const page = await run(raw.GET("/api/docs", { parseAs: "text" }));
  expect(page.data).toContain("<html");
});

it("retries a submission under the same key, and uses the caller's key if there is one", async () => {
  const { run, tryon, faults, sent, balance } = createService();
  const raw = createRawClient(tryon);
  faults.push(cut.after);
  const { data } = await run(raw.POST("/api/v1/tryon", { body: tryOn }));
  expect(data?.status).toBe("running");
  const params = { header: { "Idempotency-Key": "own" } };
  await run(raw.POST("/api/v1/tryon", { body: tryOn, params }));
  const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
  expect(keys).toEqual([keys[0], keys[0], "own"]);
  expect(await balance()).toBe(984);
});

it("has the random key of a submission in the error, so that the caller can repeat it", async () => {
  const { tryon, faults, sent, error } = createService();
  faults.push(cut.after, cut.after, cut.after, cut.after);
  const failed = await error(createRawClient(tryon).POST("/api/v1/tryon", { body: tryOn }));
  expect(failed).toMatchObject({
    code: "connection_failed",
    idempotencyKey: sent[0]?.headers.get("idempotency-key"),
  });
});

it.each([
  ["POST", "/api/v1/credits/purchase", cut.after, 2],
  ["POST", "/api/v1/tryon/job_1/cancel", cut.before, 1],
  ["POST", "/api/v1/tryon/job_1/cancel", cut.refused, 2],
  ["DELETE", "/api/v1/tryon", cut.before, 1],
])("retries %s %s after %j only if a second one is harmless", async (...row) => {
  const [method, path, fault, requests] = row;
  const { run, tryon, faults, sent } = createService();
  faults.push(fault, respondWith(400, { detail: "no" }));
  const body = { pack_slug: "starter", shared_payment_granted_token: "spt_1" } as const;
  // The contract does not have every method and path.
  const raw = createRawClient(tryon)[method as "POST"];
  const work = raw(path as "/api/v1/credits/purchase", { body });
  await run(work.catch(() => undefined));
  expect(sent).toHaveLength(requests);
});

it("returns empty responses, and errors that are not JSON", async () => {
  const { run, tryon, faults } = createService();
  const raw = createRawClient(tryon);
  faults.push(async () => new Response(null, { status: 204 }));
  expect((await run(raw.GET("/api/v1/account"))).data).toBeUndefined();
  faults.push(respondWith(400, "<h1>no</h1>"));
  expect((await run(raw.GET("/api/v1/account"))).error).toBe("<h1>no</h1>");
});
