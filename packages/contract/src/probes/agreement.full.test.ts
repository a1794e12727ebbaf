import { createMock, optionTable } from "@tryon/mock";
import { cases, seed } from "@tryon/test-kit/cases";
import { assert, asyncProperty } from "fast-check";
import { expect, test } from "vitest";

import { replay } from "../replay/replay.ts";
import { judgeTwice, mockOf } from "../../test/judge-twice.ts";
import { anyOptions } from "../../test/run-checks.ts";

test("a run, its recorded traffic and a replay never contradict each other or the server", async () => {
  const property = asyncProperty(anyOptions, anyOptions, async (options, others) => {
    // A replay has no queue: a job whose end was not recorded never ends.
    const [mock, other] = [mockOf({ options }), createMock({ clock: "manual", options: others })];
    const { run, seen, session, contradicting } = await judgeTwice(mock, mock.fetch, ["observed."]);
    expect(options).toMatchObject(run);
    expect(options).toMatchObject(seen);
    expect(contradicting).toEqual([]);
    const { baseUrl: against, fetch } = other;
    const { drift } = await replay(session, { against, paid: true, keys: {}, fetch });
    const changed = optionTable.filter(({ id }) => options[id] !== others[id]).map(({ id }) => id);
    // Other drift has no option, such as that of contents that are not recorded.
    const named = drift.flatMap(({ option }) => (option === undefined ? [] : [option]));
    expect(named.filter((option) => !changed.some((id) => id === option))).toEqual([]);
    mock.close();
    other.close();
  });
  await assert(property, { numRuns: cases(20), seed, endOnFailure: true });
}, 600_000);
