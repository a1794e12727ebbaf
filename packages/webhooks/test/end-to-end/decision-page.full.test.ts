import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "@tryon/test-kit/repository";
import { expect, it } from "vitest";
import { violations, plansUpTo } from "./faults.ts";
import { runScenarios } from "./run-scenarios.ts";

const upToThree = plansUpTo(3);
const runWith = (claimTtl: number) => runScenarios({ webhookBody: "same", claimTtl }, upToThree);

it.each([7.5, 8.75, 10, 15])(
  "counts the orders of faults that lose an event with claims of %s s",
  async (seconds) => {
    const all = (await runWith(seconds * 1_000)).flatMap((outcome) => violations(outcome));
    const lost = all.filter((text) => text === "never handled").length;
    const unrecorded = all.filter((text) => text === "handled, never recorded").length;
    const recorded = upToThree.length - lost - unrecorded;
    const [table] = await tables();
    expect(table).toHaveLength(4);
    expect(table).toContainEqual([`${seconds} s`, `${recorded}`, `${unrecorded}`, `${lost}`]);
  },
);

it("lists the orders of faults that lose an event with claims of 15 s", async () => {
  const [, table = []] = await tables();
  const lost = (await runWith(15_000)).filter(({ completions }) => completions === 0);
  const orders = lost.map(({ plan }) => plan.join(", "));
  expect(table.flatMap(ordersOf).toSorted()).toEqual(orders.toSorted());
});

/** Cells of the tables of the page, without the headings. */
async function tables(): Promise<readonly (readonly string[])[][]> {
  const page = await readFile(join(root, "docs/decisions/webhooks.md"), "utf8");
  const blocks = page.match(/^\|[^]*?\|$(?!\n\|)/gm) ?? [];
  return blocks.map((block) => {
    const rows = block.split("\n").slice(2);
    return rows.map((row) => Array.from(row.split("|").slice(1, -1), (cell) => cell.trim()));
  });
}

/** Every order of a row: one fault from each cell. */
function ordersOf(row: readonly string[]): readonly string[] {
  const cells = row.filter((cell) => cell !== "").map((cell) => cell.split(" / "));
  return cells.reduce((before, faults) =>
    before.flatMap((order) => faults.map((fault) => `${order}, ${fault}`)),
  );
}
