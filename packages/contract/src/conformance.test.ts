import { createMock, optionTable } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "./contract.ts";

test("the reference server keeps the contract, and is seen as it is set", async () => {
  const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2 });
  const report = await runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, level: "full" });
  expect(report.checks.filter(({ status }) => status === "broken")).toEqual([]);
  expect(report.profile).toEqual({
    options: Object.fromEntries(
      optionTable.filter((row) => row.observable).map(({ id, values }) => [id, values[0]]),
    ),
    unknown: optionTable.filter((row) => !row.observable).map(({ id }) => id),
  });
  expect(mock.faults.list()).toEqual([]);
});
