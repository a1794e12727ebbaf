import { describe, expect, test } from "vitest";

import { createMock } from "./mock.ts";
import { optionTable, profileOptions, type OptionRow, type Options } from "./options.ts";
import { finished, manualServer } from "../test/caller.ts";

const rows: readonly OptionRow[] = optionTable;

function create(input: object): () => unknown {
  return () => createMock(input);
}

describe("the table of options", () => {
  test("has each option once, with different values and a sentence", () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id, values, summary } of rows) {
      expect(new Set(values).size, id).toBe(values.length);
      expect(summary, id).toMatch(/^[A-Z].*\.$/s);
    }
  });

  test("has another value for every option in the profile alternate", () => {
    const [usual, alternate] = [profileOptions("default"), profileOptions("alternate")];
    for (const { id } of optionTable) expect(alternate[id], id).not.toBe(usual[id]);
  });

  test.each(rows.flatMap(({ id, values }) => values.map((value) => [id, value] as const)))(
    "allows %s %j, and a try-on succeeds with it",
    async (id, value) => {
      // The value comes from the row of the option.
      const options = { [id]: value } as Partial<Options>;
      const { mock, call } = manualServer({ options });
      expect(mock.options).toEqual({ ...profileOptions("default"), ...options });
      const job = await finished(mock, call, { seed: 3 });
      expect(job.status).toBe("succeeded");
      expect((await mock.fetch(job.result_url ?? "")).status).toBe(200);
    },
  );

  test("rejects other options and values", () => {
    expect(create({ options: { colour: 1 } })).toThrow(
      /^colour is not an option of the service\. Use one of: .*refund/,
    );
    expect(create({ options: { toString: 1 } })).toThrow(TypeError);
    expect(create({ options: { refund: "all" } })).toThrow(
      'refund must be one of "none", "failed", "failed-except-content-blocked"; got "all".',
    );
    expect(create({ profile: "odd" })).toThrow(
      'profile must be "default" or "alternate"; got "odd"',
    );
    expect(createMock({ options: { refund: undefined } as object }).options.refund).toBe("none");
  });

  test("is overridden value by value", () => {
    const { options } = createMock({ profile: "alternate", options: { timeFormat: "Z" } });
    expect(options).toEqual({ ...profileOptions("alternate"), timeFormat: "Z" });
  });
});

describe("an observed profile", () => {
  test("sets its options, which the options of createMock override", () => {
    const profile = {
      options: { refund: "failed", syncCut: 30, timeFormat: "naive" },
      unknown: ["readLag"],
    };
    const { options } = createMock({ profile, options: { timeFormat: "offset" } });
    const changed = { refund: "failed", syncCut: 30, timeFormat: "offset" };
    expect(options).toEqual({ ...profileOptions("default"), ...changed });
  });

  test.each([
    [{ options: { colour: 1 } }, "colour is not an option of the service. Use one of: checkOrder"],
    [{ options: { syncCut: 31 } }, 'syncCut must be "off" or 30; got 31.'],
    [{ options: {}, unknown: ["colour"] }, "colour is not an option"],
    [{ options: { refnd: "none" } }, "refnd is not an option of the service. Did you mean refund?"],
    [{ options: {}, unkown: [] }, "unkown is not a field of a profile. Did you mean unknown?"],
    [{ refund: "failed" }, "profile must have its values in options"],
    [{ options: ["refund"] }, "profile must have its values in options"],
  ])("is rejected with its problem: %j", (profile, message) => {
    expect(create({ profile })).toThrow(message);
  });
});

test.each([
  [{ credits: 100_000_001 }, /credits must be a whole number from 0 to 100000000; got 100000001/],
  [{ latency: { "3K": { p50: 1, p90: 2 } } }, /3K is not a size of latency/],
  [{ latency: { "1K": { p50: "8s" } } }, /^latency\.1K\.p90 must be a positive .* got undefined/],
  [{ latency: { "1K": { p50: "8s", p90: "7s" } } }, /latency\.1K\.p90 must be at least p50, "8s"/],
  [
    { latency: { "4K": { p50: 0, p90: 2 } } },
    /latency\.4K\.p50 must be a positive number .*; got 0/,
  ],
])("the setting %j throws a TypeError", (settings, message) => {
  expect(create(settings)).toThrow(TypeError);
  expect(create(settings)).toThrow(message);
});
