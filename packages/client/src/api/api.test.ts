import { describe, expect, it } from "vitest";

import type { Call } from "../index.ts";
import { respondWith, createService, input } from "../../test/service.ts";

describe("withResponse", () => {
  it("returns the result of every call with its response", async () => {
    const { run, tryon, sent } = createService();
    const { data: result, response } = await run(tryon.run(input).withResponse());
    expect(result.receipt.jobId).toBe(result.job.id);
    expect(response.status).toBe(200);
    const headers = Object.fromEntries(response.headers);
    expect(headers["content-type"]).toContain("application/json");
    const calls: readonly Call<unknown>[] = [
      tryon.submit(input),
      tryon.account.get(),
      tryon.jobs.get(result.job.id),
      tryon.jobs.list().page(),
      tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_1" }),
    ];
    for (const call of calls) {
      const { data, response: received } = await run(call.withResponse());
      expect(data).toBe(await call);
      expect(received.ok).toBe(true);
    }
    expect(sent.length).toBeGreaterThanOrEqual(6);
  });

  it("returns the request id and the rate limit", async () => {
    const { run, tryon, faults, mock } = createService();
    const limits = {
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "9",
      "x-ratelimit-reset": "30",
    };
    faults.push(respondWith(200, { name: null }, { "x-request-id": "req_1", ...limits }));
    const { data, requestId, rateLimit } = await run(tryon.account.get().withResponse());
    expect(data).toEqual({ name: null });
    expect(requestId).toBe("req_1");
    expect(rateLimit).toMatchObject({ limit: 60, remaining: 9, source: "headers" });
    expect(tryon.rateLimit).toEqual(rateLimit);
    expect(rateLimit?.resetAt).toBeGreaterThan(mock.clock.now());
  });

  it("returns the response of the submission, not of a poll", async () => {
    const { run, tryon, faults } = createService();
    faults.push(async (_request, pass) => {
      const { body } = await pass();
      return new Response(body, { headers: { "x-request-id": "submission" } });
    });
    const { requestId } = await run(tryon.run(input, { sync: false }).withResponse());
    expect(requestId).toBe("submission");
  });

  it("rejects with the error of the call, also without a request", async () => {
    const { error, client, tryon, faults } = createService();
    faults.push(respondWith(404, { detail: "no" }));
    const failed = await error(tryon.jobs.get("job_1").withResponse());
    expect(failed).toMatchObject({ code: "not_found" });
    expect(await error(tryon.jobs.get("../account").withResponse())).toMatchObject({
      code: "invalid_input",
    });
    const lost = client({ baseUrl: undefined });
    expect(await error(lost.account.get().withResponse())).toMatchObject({
      code: "invalid_config",
    });
  });
});
