import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "@tryon/test-kit/repository";
import { describe, expect, it } from "vitest";
import { violations } from "./delivery-record.ts";
import { runAll } from "./scenario-run.ts";
import { plansUpTo } from "./faults.ts";

const upToThree = plansUpTo(3);

describe("the page of the decision", () => {
  it("says how many orders of troubles lose an event with which claims", async () => {
    const [table] = await tables();
    const counted = await Promise.all(
      [7.5, 8.75, 10, 15].map(async (seconds) => {
        const fates = await runAll({ webhookBody: "same", claimTtl: seconds * 1_000 }, upToThree);
        const count = (wrong: string): number =>
          fates.filter((fate) => violations(fate).includes(wrong)).length;
        const lost = count("never handled to its end");
        const unnoted = count("handled, and never noted");
        return [`${seconds} s`, `${fates.length - lost - unnoted}`, `${unnoted}`, `${lost}`];
      }),
    );
    expect(table).toEqual(counted);
  });

  it("says which orders lose one with claims of 15 s", async () => {
    const [, table = []] = await tables();
    const fates = await runAll({ webhookBody: "same", claimTtl: 15_000 }, upToThree);
    const lost = fates.filter(({ ends }) => ends === 0).map(({ plan }) => plan.join(", "));
    expect(table.flatMap(orders).toSorted()).toEqual(lost.toSorted());
  });

  const page = join(root, "docs/decisions/claims-and-attempts.md");

  /** The cells of its tables, without their heads. */
  async function tables(): Promise<readonly (readonly string[])[][]> {
    const blocks = (await readFile(page, "utf8")).match(/^\|[^]*?\|$(?!\n\|)/gm) ?? [];
    return blocks.map((block) =>
      block
        .split("\n")
        .slice(2)
        .map((row) =>
          row
            .split("|")
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ),
    );
  }
});

/** Every order that a row stands for: one trouble of each of its cells. */
function orders(row: readonly string[]): readonly string[] {
  return row
    .filter((cell) => cell !== "")
    .map((cell) => cell.split(" / "))
    .reduce((before, troubles) =>
      before.flatMap((order) => troubles.map((trouble) => `${order}, ${trouble}`)),
    );
}
