import { describe, expect, it } from "vitest";

import { createProxyService, mount } from "../../test/proxy-service.ts";
import { assetBytes, input, profiles } from "../../test/service.ts";
import { createProxy } from "./index.ts";

describe.each(profiles)("a page that uses the proxy, under the profile %s", (profile) => {
  it("makes a try-on and reads its image", async () => {
    const { run, page, sent, mock, reported } = createProxyService({}, { profile });
    const person = assetBytes("person.jpg");
    const result = await run(page("ada").run({ ...input, person }));
    const bytes = await run(result.image.bytes());
    expect(bytes.length).toBe(result.job.data.result_bytes ?? bytes.length);
    expect(result.job.id).toMatch(/^job_[a-zA-Z0-9]{24}[\da-f]{32}$/);
    expect(result.receipt).toMatchObject({ credits: undefined, balance: undefined });
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
    expect(sent[0]?.headers.get("authorization")).toBe(`Bearer ${mock.keys.live}`);
    expect(reported).toEqual([]);
  });

  it("submits, and resumes the job after a reload", async () => {
    const { run, page } = createProxyService({}, { profile });
    const job = await run(page("ada").submit(input));
    const saved = JSON.stringify(job);
    const result = await run(page("ada").jobs.resume(JSON.parse(saved)).result());
    expect(result.job.id).toBe(job.id);
    expect(await run(result.image.url())).toContain("/results/");
  });
});

describe("the user that authorize returns", () => {
  it("is passed to limit and addFields with its own type", async () => {
    const plans: string[] = [];
    const sessions = new Map([["session=1", { id: "ada", plan: "free" }]]);
    const proxy = createProxy({
      apiKey: "svc_test_a",
      baseUrl: "https://tryon.example",
      authorize: async ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
      limit: ({ user: { plan }, kind }) => plans.push(`${kind} ${plan}`) > 0,
      addFields: ({ user: { plan } }) => ({ metadata: { plan } }),
      fetch: async (_url, { body }) => {
        expect(body).toContain('"metadata":{"plan":"free"}');
        return Response.json({ job_id: "job_1", status: "running" });
      },
    });
    const type = { "content-type": "application/json", "idempotency-key": "a" };
    const response = await proxy(
      new Request(`${mount}/api/v1/tryon`, {
        method: "POST",
        headers: { ...type, cookie: "session=1" },
        body: JSON.stringify({ person_url: input.person, garment_urls: input.garments }),
      }),
    );
    expect(response.status).toBe(200);
    expect(plans).toEqual(["submit free"]);
  });
});
