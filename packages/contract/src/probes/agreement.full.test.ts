import { createMock, optionTable, type Options } from "@tryon/mock";
import { cases, seed } from "@tryon/test-kit/cases";
import { assert, asyncProperty, constantFrom, record, type Arbitrary } from "fast-check";
import { expect, test } from "vitest";

import { replay } from "../replay/replay.ts";
import { judgeTwice, mockOf } from "../../test/judge-twice.ts";

const anyOptions = record(
  Object.fromEntries(optionTable.map(({ id, values }) => [id, constantFrom(...values)])),
  // Every value is one of its row.
) as unknown as Arbitrary<Options>;

test("a run, its recorded traffic and a replay never contradict each other or the server", async () => {
  const property = asyncProperty(anyOptions, anyOptions, async (options, others) => {
    // A replay has no queue: a job whose end was not recorded never ends.
    const [mock, other] = [mockOf({ options }), createMock({ clock: "manual", options: others })];
    const {
      run,
      seen,
      session,
      options: observed,
    } = await judgeTwice(mock, mock.fetch, ["observed."]);
    expect(options).toMatchObject(run);
    expect(options).toMatchObject(seen);
    expect(observed.filter(({ contradictions }) => contradictions.length > 0)).toEqual([]);
    const { drift } = await replay(session, {
      against: other.baseUrl,
      paid: true,
      keys: {},
      fetch: other.fetch,
    });
    const changed = optionTable.filter(({ id }) => options[id] !== others[id]).map(({ id }) => id);
    // Other drift has no option, such as that of contents that are not recorded.
    const named = drift.flatMap(({ option }) => (option === undefined ? [] : [option]));
    expect(named.filter((option) => !changed.some((id) => id === option))).toEqual([]);
    mock.close();
    other.close();
  });
  await assert(property, {
    numRuns: cases(20),
    seed,
    endOnFailure: true,
  });
}, 600_000);
