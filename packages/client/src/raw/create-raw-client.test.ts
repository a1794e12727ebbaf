import { expect, it } from "vitest";

import { createRawClient } from "./index.ts";
import {
  respondWith,
  createService,
  cut,
  personUrl,
  profiles,
  shirtUrl,
} from "../../test/service.ts";

it.each(profiles)(
  "gives answers and errors as openapi-fetch does, under the profile %s",
  async (profile) => {
    const { run, tryon, faults, sent } = createService({ profile });
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
  },
);

it("submits under one key however often it is sent, and under the caller's own", async () => {
  const { run, tryon, faults, mock, sent } = createService();
  const raw = createRawClient(tryon);
  const body = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };
  faults.push(cut.after);
  const { data } = await run(raw.POST("/api/v1/tryon", { body }));
  expect(data?.status).toBe("running");
  const params = { header: { "Idempotency-Key": "mine" } };
  await run(raw.POST("/api/v1/tryon", { body, params }));
  const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
  expect(keys[0]).toBe(keys[1]);
  expect(keys[2]).toBe("mine");
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(984);
});

it("has for each call the middleware that was in use when it was made", async () => {
  const { run, tryon, sent } = createService();
  const raw = createRawClient(tryon);
  const first = raw.GET("/api/v1/account");
  raw.use({ onRequest: ({ request }) => request.headers.set("x-mark", "1") });
  await run(Promise.all([first, raw.GET("/api/v1/account")]));
  expect(new Set(sent.map(({ headers }) => headers.get("x-mark")))).toEqual(new Set(["1", null]));
});

it("is taken back the middleware that is ejected", async () => {
  const { run, tryon, sent } = createService();
  const raw = createRawClient(tryon);
  const middleware = { onRequest: () => new Request("https://elsewhere.example") };
  raw.use(middleware);
  raw.eject(middleware);
  await run(raw.request("get", "/api/v1/account"));
  expect(sent[0]?.path).toBe("/api/v1/account");
});

it("gives back an empty answer as one", async () => {
  const { run, tryon, faults } = createService();
  const raw = createRawClient(tryon);
  faults.push(async () => new Response(null, { status: 204 }));
  expect((await run(raw.GET("/api/v1/account"))).data).toBeUndefined();
  faults.push(respondWith(400, "<h1>no</h1>"));
  expect((await run(raw.GET("/api/v1/account"))).error).toBe("<h1>no</h1>");
});
