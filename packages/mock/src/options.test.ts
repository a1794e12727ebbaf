import { describe, expect, test } from "vitest";

import { createMock } from "./mock.ts";
import { optionTable, profileOptions, type OptionRow, type Options } from "./options.ts";
import { caller, finished } from "../test/caller.ts";

const rows: readonly OptionRow[] = optionTable;

function wrong(input: object): () => unknown {
  return () => createMock(input);
}

describe("the table of options", () => {
  test("names each option once, with values that differ and a sentence", () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id, values, summary } of rows) {
      expect(new Set(values).size, id).toBe(values.length);
      expect(summary, id).toMatch(/^[A-Z].*\.$/s);
    }
  });

  test("gives profile alternate another value than the default for every option", () => {
    const [usual, alternate] = [profileOptions("default"), profileOptions("alternate")];
    for (const { id } of optionTable) expect(alternate[id], id).not.toBe(usual[id]);
  });

  test.each(rows.flatMap(({ id, values }) => values.map((value) => [id, value] as const)))(
    "lets %s be %j, and a whole try-on works under it",
    async (id, value) => {
      // The table itself has just said that the option has this value.
      const options = { [id]: value } as Partial<Options>;
      const mock = createMock({ clock: "manual", options });
      expect(mock.options).toEqual({ ...profileOptions("default"), ...options });
      const job = await finished(mock, caller(mock), { seed: 3 });
      expect(job.status).toBe("succeeded");
      expect((await mock.fetch(job.result_url ?? "")).status).toBe(200);
    },
  );

  test("is the only source of options and values", () => {
    expect(wrong({ options: { colour: 1 } })).toThrow(/Unknown option "colour".*refund/);
    expect(wrong({ options: { toString: 1 } })).toThrow(TypeError);
    expect(wrong({ options: { refund: "all" } })).toThrow(
      'Option refund has to be one of "none", "failed", "failed-except-content-blocked"; got "all".',
    );
    expect(wrong({ profile: "odd" })).toThrow('Unknown profile "odd"');
    expect(createMock({ options: { refund: undefined } as object }).options.refund).toBe("none");
  });

  test("is laid over the profile value by value", () => {
    const { options } = createMock({ profile: "alternate", options: { timeFormat: "Z" } });
    expect(options).toEqual({ ...profileOptions("alternate"), timeFormat: "Z" });
  });
});

describe("a profile that was observed", () => {
  test("sets its options, leaves the unknown ones at their default, and bows to chosen ones", () => {
    const profile = {
      options: { refund: "failed", syncCut: 30, timeFormat: "naive" },
      unknown: ["readLag"],
    };
    const { options } = createMock({ profile, options: { timeFormat: "offset" } });
    const changed = { refund: "failed", syncCut: 30, timeFormat: "offset" };
    expect(options).toEqual({ ...profileOptions("default"), ...changed });
  });

  test.each([
    [{ options: { colour: 1 } }, 'Unknown option "colour"; the options are checkOrder'],
    [{ options: { syncCut: 31 } }, 'Option syncCut has to be one of "off", 30; got 31.'],
    [{ options: {}, unknown: ["colour"] }, 'Unknown option "colour"'],
    [{ refund: "failed" }, "A profile has its values in options"],
    [{ options: ["refund"] }, "A profile has its values in options"],
  ])("is refused with what is wrong in it: %j", (profile, message) => {
    expect(wrong({ profile })).toThrow(message);
  });
});

describe("the settings", () => {
  test.each([
    [{ concurrency: 0 }, /concurrency.*from 1 up/],
    [{ concurrency: 1.5 }, /concurrency/],
    [{ concurrency: Number.NaN }, /concurrency/],
    [{ latency: -1 }, /^latency: /],
    [{ latency: "soon" }, /^latency: /],
  ])("are refused with a RangeError that names them: %j", (settings, message) => {
    expect(() => createMock(settings)).toThrow(RangeError);
    expect(() => createMock(settings)).toThrow(message);
  });
});
