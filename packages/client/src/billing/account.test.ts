import { describe, expect, it } from "vitest";

import type { Middleware, TryOnInput } from "../index.ts";
import { respondWith, createService, cut, input, noResponse } from "../../test/service.ts";

const large = { ...input, output_size: "4K" } as const;
const documentCosts = { "1K": 8, "2K": 12, "4K": 20 };

async function* stream(count: number): AsyncGenerator<TryOnInput> {
  for (let index = 0; index < count; index += 1) yield large;
}

it("the account is read once for the costs", async () => {
  const { run, client, sent } = createService();
  const tryon = client({ budget: { maxCredits: 8 } });
  expect(await run(tryon.costs())).toEqual({ costs: documentCosts, source: "account" });
  await run(tryon.costs());
  expect(await run(tryon.estimate(input))).toBe(8);
  await run(tryon.submit(input));
  expect(sent).toHaveLength(2);
  const account = { credits_remaining: 992, tryon_cost_credits: { "1K": 8 } };
  expect(await run(tryon.account.get())).toMatchObject(account);
});

describe("costs", () => {
  it("are the document's while the account cannot be read", async () => {
    const { run, client, faults } = createService();
    const tryon = client({ retries: 0 });
    faults.push(respondWith(403, { detail: "no" }), noResponse.before);
    const ofDocument = { costs: documentCosts, source: "document" };
    expect(await run(tryon.costs())).toEqual(ofDocument);
    expect(await run(tryon.costs({ timeout: "3s" }))).toEqual(ofDocument);
    expect(await run(tryon.costs())).toEqual({ costs: documentCosts, source: "account" });
  });

  it.each([
    [{ "1K": 10, "8K": 40 }, { ...documentCosts, "1K": 10, "8K": 40 }, "account"],
    [{ "1K": "9", "2K": null, "4K": -1 }, documentCosts, "document"],
    [{ "1K": 0, "2K": -1, "4K": "5" }, { ...documentCosts, "1K": 0 }, "account"],
    [{}, documentCosts, "document"],
    [null, documentCosts, "document"],
  ])("of an account with %j are numbers", async (stated, costs, source) => {
    const { run, tryon, faults } = createService();
    faults.push(respondWith(200, { credits_remaining: 5, tryon_cost_credits: stated }));
    expect(await run(tryon.costs())).toEqual({ costs, source });
  });

  it("reject with the caller's reason before, during and after the read", async () => {
    const { error, run, tryon, faults, sent } = createService();
    const reason = { why: "enough" };
    const aborted = { signal: AbortSignal.abort(reason) };
    expect(await error(tryon.costs(aborted))).toBe(reason);
    expect(sent).toHaveLength(0);
    const controller = new AbortController();
    faults.push(async () => {
      controller.abort(reason);
      return Response.json({});
    });
    expect(await error(tryon.costs({ signal: controller.signal }))).toBe(reason);
    await run(tryon.costs());
    expect(await error(tryon.costs(aborted))).toBe(reason);
  });
});

describe("estimate", () => {
  it("adds up lists and streams under any name of the size", async () => {
    const { run, tryon } = createService();
    const inputs = [input, { ...input, size: "2k" }, { ...input, resolution: "4k" }] as const;
    expect(await run(tryon.estimate(inputs))).toBe(40);
    expect(await run(tryon.estimate(new Set([input, large])))).toBe(28);
    expect(await run(tryon.estimate(stream(1_000)))).toBe(20_000);
    expect(await run(tryon.estimate([]))).toBe(0);
    for (const size of [undefined, null, ""]) {
      expect(await run(tryon.estimate({ ...input, size } as typeof input))).toBe(8);
    }
  });

  // Programs without types pass anything.
  it.each([
    [[input, { ...input, size: "8K" }], "inputs.1.output_size"],
    [{ ...input, size: "8K" }, "output_size"],
    [[{ ...input, output_size: 2 }], "inputs.0.output_size"],
    [[{ ...input, output_size: ["1K"] }], "inputs.0.output_size"],
    [[{ ...input, output_size: "toString" }], "inputs.0.output_size"],
    [[input, "toString"], "inputs.1"],
    ["4K", "inputs.0"],
    [null, "inputs"],
  ])("of %j names the field %s without a price", async (inputs, field) => {
    const { error, tryon } = createService();
    const failure = await error(tryon.estimate(inputs as never));
    expect(failure).toMatchObject({ code: "invalid_input", issues: [{ field }] });
    const problem = field.endsWith("size")
      ? "is not a size that has a price. Use one of 1K, 2K, 4K."
      : "is not an object with person and garments.";
    expect(String(failure)).toContain(`${field} ${problem}`);
  });
});

describe("a receipt", () => {
  it("has the request id of the submission after the account was read and a response was lost", async () => {
    const { run, client, faults } = createService({ options: { sparseSubmit: false } });
    let count = 0;
    const middleware: Middleware = async (request, next) => {
      const { status, headers, body } = await next(request);
      const named = new Headers(headers);
      named.set("x-request-id", `request-${(count += 1)}`);
      return new Response(body, { status, headers: named });
    };
    const tryon = client({ middleware, budget: { maxCredits: 50 } });
    faults.push(undefined, cut.after);
    const { receipt } = await run(tryon.run(input, { sync: false }));
    expect(receipt).toMatchObject({ requestId: "request-2", credits: 8, balance: 992 });
    expect(receipt.attempts.map(({ status }) => status)).toEqual([undefined, 200]);
    expect(receipt.timeline.map(({ phase }) => phase)).toEqual(["sending", "waiting", "succeeded"]);
  });

  it("leaves out what the service has not stated, and what is unknown of a resumed job", async () => {
    const { run, tryon } = createService({ options: { sparseSubmit: true } });
    const job = await run(tryon.submit(input));
    const { receipt } = await run(job.result());
    expect(receipt).toMatchObject({ jobId: job.id, credits: 8 });
    expect([receipt.requestId, receipt.balance]).toEqual([undefined, undefined]);
    const resumed = await run(tryon.jobs.resume(job.id).result());
    expect(resumed.receipt).toMatchObject({ jobId: job.id, credits: 8, attempts: [] });
    const { requestId, idempotencyKey } = resumed.receipt;
    expect([requestId, idempotencyKey]).toEqual([undefined, undefined]);
    expect(JSON.stringify([receipt, resumed.receipt])).not.toContain("null");
  });
});
