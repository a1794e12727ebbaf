import { describe, expect, it } from "vitest";
import { schemaNamed } from "./openapi-document.ts";

describe("prices of the contract", () => {
  const costs = { "1K": 8, "2K": 12, "4K": 20 };
  const packs = {
    demo: { price_usd: 2, credits: 100 },
    starter: { price_usd: 25, credits: 1200 },
    pro: { price_usd: 99, credits: 5600 },
    scale: { price_usd: 499, credits: 32000 },
    enterprise: { price_usd: 999, credits: 72000 },
  };

  it("say what a try-on costs, to programs and to people", () => {
    const size = schemaNamed("OutputSize");
    expect(size["x-credits"]).toEqual(costs);
    for (const [name, credits] of Object.entries(costs)) {
      expect(size["description"]).toMatch(new RegExp(`${name}[^;]*\\b${credits} credits`, "u"));
    }
  });

  it("say what a pack costs and holds, to programs and to people", () => {
    const pack = schemaNamed("PackSlug");
    expect(pack["x-packs"]).toEqual(packs);
    for (const [name, { price_usd, credits }] of Object.entries(packs)) {
      expect(pack["description"]).toMatch(
        new RegExp(`${name}, ${credits}[^;]* for \\$${price_usd}\\b`, "u"),
      );
    }
  });
});
