import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { packs, TryOn } from "@tryon/client";
import { expect, it } from "vitest";

import { tableOf } from "./page-table.ts";

const page = await readFile(join(import.meta.dirname, "pricing-and-credits.md"), "utf8");

const number = (value: number): string => value.toLocaleString("en-US");

/** Returns the prices of the service's document, since the key of this client is refused. */
async function documentCosts(): Promise<Readonly<Record<string, number>>> {
  const tryon = new TryOn({
    apiKey: "svc_test_a",
    baseUrl: "https://tryon.example",
    fetch: async () => Response.json({ detail: "No such key" }, { status: 401 }),
  });
  const { costs, source } = await tryon.costs();
  expect(source).toBe("document");
  return costs;
}

it("has the prices of the client", async () => {
  const shown = tableOf(page, "`output_size`", "about", "credits");
  const costs = Object.entries(await documentCosts());
  expect(shown.map(([size, , credits]) => [size, credits])).toEqual(
    costs.map(([size, credits]) => [`\`${size}\``, number(credits)]),
  );
});

it("has the packs of the client, and the price of a try-on with each", async () => {
  const { "1K": cost = Number.NaN } = await documentCosts();
  expect(tableOf(page, "pack", "US dollars", "credits")).toEqual(
    Object.entries(packs).map(([slug, { usd, credits }]) => [
      `\`${slug}\``,
      number(usd),
      number(credits),
      number(Math.floor(credits / cost)),
      `$${((usd / credits) * cost).toFixed(3)}`,
    ]),
  );
});
