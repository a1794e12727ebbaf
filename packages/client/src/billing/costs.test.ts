import { describe, expect, it } from "vitest";

import { packs, type TryOnInput } from "../index.ts";
import { respondWith, createService, input, profiles, noResponse } from "../../test/service.ts";

const large = { ...input, output_size: "4K" } as const;

async function* lazily(count: number): AsyncGenerator<TryOnInput> {
  for (let index = 0; index < count; index += 1) yield large;
}

describe.each(profiles)("costs under the profile %s", (profile) => {
  it("are the account's, which is asked once", async () => {
    const { run, tryon, sent } = createService({ profile });
    const costs = { "1K": 8, "2K": 12, "4K": 20 };
    expect(await run(tryon.costs())).toEqual({ costs, source: "account" });
    await run(tryon.costs());
    expect(await run(tryon.estimate(input))).toBe(8);
    expect(sent).toHaveLength(1);
  });
});

describe("costs", () => {
  it("are the document's as long as the account cannot be asked", async () => {
    const { run, client, faults } = createService();
    const tryon = client({ retries: 0 });
    faults.push(respondWith(403, { detail: "no" }), noResponse.before);
    const costs = { "1K": 8, "2K": 12, "4K": 20 };
    expect(await run(tryon.costs())).toEqual({ costs, source: "document" });
    expect(await run(tryon.costs({ timeout: "3s" }))).toEqual({ costs, source: "document" });
    expect(await run(tryon.costs())).toEqual({ costs, source: "account" });
  });

  it.each([
    [{ "1K": 10, "8K": 40 }, { "1K": 10, "2K": 12, "4K": 20, "8K": 40 }, "account"],
    [{ "1K": "9", "2K": null, "4K": -1 }, { "1K": 8, "2K": 12, "4K": 20 }, "document"],
    [undefined, { "1K": 8, "2K": 12, "4K": 20 }, "document"],
  ])("of an account that says %j are never NaN", async (said, costs, source) => {
    const { run, tryon, faults } = createService();
    faults.push(respondWith(200, { credits_remaining: 5, tryon_cost_credits: said }));
    expect(await run(tryon.costs())).toEqual({ costs, source });
  });

  it("reject with the caller's reason", async () => {
    const { tryon } = createService();
    const reason = { why: "enough" };
    await expect(tryon.costs({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("estimate", () => {
  it("adds up lists and streams, whatever the size is called", async () => {
    const { run, tryon } = createService();
    const inputs = [input, { ...input, size: "2k" }, { ...input, resolution: "4k" }] as const;
    expect(await run(tryon.estimate(inputs))).toBe(40);
    expect(await run(tryon.estimate(new Set([input, large])))).toBe(28);
    expect(await run(tryon.estimate(lazily(1_000)))).toBe(20_000);
    expect(await run(tryon.estimate([]))).toBe(0);
    expect(await run(tryon.estimate({ ...input, output_size: undefined }))).toBe(8);
  });

  it("names the place of a size that has no price", async () => {
    const { error, tryon } = createService();
    // What types forbid comes from programs without types.
    const wrong = { ...input, size: "8K" } as never;
    for (const [inputs, field] of [
      [[input, wrong], "inputs.1.output_size"],
      [wrong, "output_size"],
      [[{ ...input, output_size: 2 } as never], "inputs.0.output_size"],
      [[input, "toString" as never], "inputs.1"],
      ["4K" as never, "inputs.0"],
      [null as never, "inputs"],
    ] as const) {
      expect(await error(tryon.estimate(inputs))).toMatchObject({
        code: "invalid_input",
        issues: [{ field }],
      });
    }
  });
});

it("packs are those of the document", () => {
  expect(Object.entries(packs).map(([slug, { usd, credits }]) => [slug, usd, credits])).toEqual([
    ["demo", 2, 100],
    ["starter", 25, 1_200],
    ["pro", 99, 5_600],
    ["scale", 499, 32_000],
    ["enterprise", 999, 72_000],
  ]);
});
