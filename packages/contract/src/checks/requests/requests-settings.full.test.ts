import { createMock, type MockOptions } from "@tryon/mock";
import { expect, test } from "vitest";

import { hiddenOptions } from "../../open-points.ts";
import { requestProbes } from "../../probes/requests.ts";
import { failedIds, notObservableIds, runAgainst } from "../../../test/run-checks.ts";
import { requestChecks } from "../index.ts";

const all = [...requestChecks, ...requestProbes];
const ids = all.map(({ id }) => id);
const fast = all.filter(({ level }) => level !== "full").map(({ id }) => id);

// A server in process allows webhooks to loopback.
const skippedInProcess = "submitted-urls.webhook_url.https";

async function run(options: MockOptions, only: readonly string[]) {
  const mock = createMock({ clock: "manual", ...options });
  const report = await runAgainst(mock, only);
  mock.close();
  return { mock, report };
}

test.each([
  ["default", [], []],
  // A 400 has no list of problems, which could repeat the input.
  [
    "alternate",
    ["refusals.all-problems", "refusals.loc", "refusal-order.form-before-meaning"],
    ["echoInput"],
  ],
] as const)("passes the profile %s", async (profile, notObservable, unknown) => {
  const { mock, report } = await run({ profile }, ids);
  expect(failedIds(report)).toEqual([]);
  expect(notObservableIds(report).filter((id) => ids.includes(id))).toEqual([
    skippedInProcess,
    ...notObservable,
  ]);
  expect(report.profile.unknown.toSorted()).toEqual([...unknown, ...hiddenOptions].toSorted());
  expect(mock.options).toMatchObject(report.profile.options);
});

test("passes a server that refuses webhooks to loopback", async () => {
  const only = [skippedInProcess, "text.webhook_url"];
  const { report } = await run({ allowPrivateWebhooks: false }, only);
  expect(failedIds(report)).toEqual([]);
  expect(notObservableIds(report)).not.toContain(skippedInProcess);
});

test.each([
  { checkOrder: "body-first", malformedBody: 422, readLag: 800, sparseSubmit: true },
  { malformedBody: 400, echoInput: "full", syncCut: 30, reportQueued: true, filterName: "status" },
  { jsonTypes: "lax", rateHeaders: "none", slashRedirect: true, resultsOrigin: "other" },
] as const)("passes and observes %j", async (options) => {
  const { mock, report } = await run({ options, concurrency: 3 }, fast);
  expect(failedIds(report)).toEqual([]);
  expect(mock.options).toMatchObject(report.profile.options);
});

test.each([400, 413] as const)("observes the status %i for too large a body", async (oversize) => {
  const { report } = await run({ options: { oversize } }, ["observed.oversize"]);
  expect(report.profile.options).toEqual({ oversize });
});
