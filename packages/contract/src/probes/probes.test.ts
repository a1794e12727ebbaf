import { createMock, optionTable } from "@tryon/mock";
import { expect, onTestFinished, test } from "vitest";

import { patched } from "../../test/mutants/mutated-responses.ts";
import { planted } from "../../test/mutants/mutant.ts";
import { failures, runAgainst } from "../../test/run-checks.ts";

const values = optionTable.flatMap(({ id, observable, values: all }) =>
  observable ? all.map((value) => [id, value, {}] as const) : [],
);
const clamped = [100, 50].map((value) => ["maxLimit", value, { limitBounds: "clamp" }] as const);

test.each([...values, ...clamped])("observes %s = %s with %j", async (option, value, others) => {
  const options = { ...others, [option]: value };
  const mock = createMock({ clock: "manual", concurrency: 2, options });
  onTestFinished(() => mock.close());
  const report = await runAgainst(mock, [`observed.${option}`]);
  expect(failures(report)).toBe("");
  expect(report.profile.options).toEqual({ [option]: value });
});

test("fails no check for an open field that a submission response omits, and names it", async () => {
  const mock = createMock({ clock: "manual" });
  onTestFinished(() => mock.close());
  const fetch = planted(mock, patched("submit", { metadata: undefined }));
  const report = await runAgainst(mock, ["observed.sparseSubmit", "submit-response."], fetch);
  expect(failures(report)).toBe("");
  expect(report.profile.options).toEqual({});
  expect(report.observations[0]?.message).toBe("The response to a submission omits only metadata.");
});
