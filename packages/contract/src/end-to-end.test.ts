import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "./contract.ts";

test("a run against the reference server says what is kept and what was observed", async () => {
  const mock = createMock({ clock: "manual", options: { timeFormat: "offset" } });
  const report = await runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, level: "full" });
  expect(report.checks.filter(({ status }) => status === "broken")).toEqual([]);
  expect(report.profile.options["timeFormat"]).toBe("offset");
});
