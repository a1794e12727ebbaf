import { optionTable, type MockOptions, type Options } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { notObservableOptions } from "../../probes/index.ts";
import { billingProbes } from "../../probes/billing.ts";
import { failed, related, runChecks, skipped } from "../../../test/run-checks.ts";
import { billingMutants } from "../../../test/mutants/billing/index.ts";
import { billingStatusMutants } from "../../../test/mutants/billing/statuses.ts";
import { billingChecks } from "./index.ts";

const money = { checks: billingChecks, probes: billingProbes };

describe("the reference server", () => {
  test("keeps everything, and nothing is left out", async () => {
    const report = await runChecks(money);
    expect(failed(report).why).toBe("");
    expect(skipped(report)).toEqual([]);
    expect(report.profile.unknown).toEqual(Object.keys(notObservableOptions));
  });

  test("keeps everything under profile alternate, too", async () => {
    const report = await runChecks(money, { profile: "alternate" });
    expect(failed(report).why).toBe("");
    expect(skipped(report)).toEqual(["rate-limit.headers", "rate-limit.reset"]);
    expect(report.profile.unknown).toEqual(["resetUnit", ...Object.keys(notObservableOptions)]);
  });

  const probed = new Set(billingProbes.map(({ option }) => option));
  const rows = optionTable.filter(({ id }) => probed.has(id));
  const values = rows.flatMap(({ id, values: all }) => all.map((value) => [id, value] as const));

  test.each(values)("is seen to have %s = %s", async (id, value) => {
    // The table has these values for the option.
    const options = { [id]: value } as Partial<Options>;
    const report = await runChecks(money, { options });
    expect(failed(report).why).toBe("");
    expect(report.profile.options[id]).toBe(value);
  });

  const mixtures: Partial<Options>[] = [
    { sparseSubmit: true, readLag: 800, rateHeaders: "429-only", resetUnit: "delta" },
    { syncCut: 30, concurrentTwin: 409, checkOrder: "body-first", idempotencyHours: 1 },
    {
      refund: "failed",
      suspendAfterContentBlocked: 5,
      dailySpendCap: 100_000,
      replayHeader: false,
    },
    { jsonTypes: "lax", malformedBody: 400, retryAfterFormat: "date", purchaseRepeat: 409 },
  ];
  const settings: MockOptions[] = [{ latency: 0 }, { latency: "20s", concurrency: 1 }];

  test.each([...mixtures.map((options) => ({ options })), ...settings])(
    "keeps everything with %j",
    async (options) => {
      const report = await runChecks(money, options);
      expect(failed(report).why).toBe("");
      expect(report.profile.options).toMatchObject(
        Object.fromEntries(
          Object.entries(options.options ?? {}).filter(([id]) => probed.has(id as never)),
        ),
      );
    },
  );
});

describe("a deployment that", () => {
  const plants = [...billingMutants, ...billingStatusMutants];

  // The whole part is run against each in the full tests.
  test.each(plants)("$name is found out", async ({ plant, expected }) => {
    const report = await runChecks(related(money, expected), {}, plant);
    const { ids, why } = failed(report);
    expect(ids, why).toEqual(expected);
  });

  test("breaks any check is among them", () => {
    const bitten = new Set(plants.flatMap(({ expected }) => expected));
    const missing = billingChecks.map(({ id }) => id).filter((id) => !bitten.has(id));
    expect(missing).toEqual([]);
  });
});
