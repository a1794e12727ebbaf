import { createHmac } from "node:crypto";

import { createMock, type Mock } from "@tryon/mock";
import { afterAll, afterEach, describe, expect, test } from "vitest";

import { notObservableOptions } from "../../probes/index.ts";
import { requestProbes } from "../../probes/requests.ts";
import { brokenIn, mutated, runAgainst } from "../../../test/area-run.ts";
import { requestMutants } from "../../../test/mutants/requests/index.ts";
import { requestChecks } from "./index.ts";

const all = [...requestChecks, ...requestProbes];
const ids = all.map(({ id }) => id);
const quick = all.filter(({ level }) => level !== "full").map(({ id }) => id);

// A server in process lets webhooks lead into its own machine.
const unseenInProcess = ["submitted-urls.webhook_url.https"];

describe("a server that keeps the contract", () => {
  test.each(["default", "alternate"] as const)("is seen as that under %s", async (profile) => {
    const mock = createMock({ clock: "manual", profile });
    const report = await runAgainst(mock, ids);
    const { checks } = report;
    expect(brokenIn(report)).toEqual([]);
    const skipped = checks.filter(
      ({ id, status }) => status === "not-observable" && ids.includes(id),
    );
    expect(skipped.map(({ id }) => id)).toEqual(unseenInProcess);
    expect(report.profile.unknown).toEqual(Object.keys(notObservableOptions));
    expect(mock.options).toMatchObject(report.profile.options);
    mock.close();
  });

  test("is seen to refuse http for webhooks where private ones are not let in", async () => {
    const mock = createMock({ clock: "manual", allowPrivateWebhooks: false });
    const report = await runAgainst(mock, [...unseenInProcess, "text.webhook_url"]);
    expect(brokenIn(report)).toEqual([]);
    expect(report.checks.find(({ id }) => id === unseenInProcess[0])?.status).toBe("passed");
    mock.close();
  });

  test.each([
    { checkOrder: "body-first", malformedBody: 422, readLag: 800, sparseSubmit: true },
    {
      malformedBody: 400,
      echoInput: "full",
      syncCut: 30,
      reportQueued: true,
      filterName: "status",
    },
    { jsonTypes: "lax", rateHeaders: "none", slashRedirect: true, resultsOrigin: "other" },
  ] as const)("is seen as that with %j", async (options) => {
    const mock = createMock({ clock: "manual", options, concurrency: 3 });
    const report = await runAgainst(mock, quick);
    expect(brokenIn(report)).toEqual([]);
    expect(mock.options).toMatchObject(report.profile.options);
    mock.close();
  });

  test.each([400, 413] as const)("is seen to answer too large a body with %i", async (oversize) => {
    const mock = createMock({ clock: "manual", options: { oversize } });
    const report = await runAgainst(mock, ["observed.oversize"]);
    expect(report.profile.options).toEqual({ oversize });
    mock.close();
  });
});

describe("a server that breaks the contract", () => {
  // Drawing its images takes the server most of the time; it keeps them when it is reset.
  const mock = createMock({ clock: "manual" });
  afterEach(() => mock.reset());
  afterAll(() => mock.close());

  const found = requestMutants.filter(({ expected }) => !expected[0]?.startsWith("large."));
  const groups = 16;

  // Each plant by itself is a test of the full suite.
  test.each(Array.from({ length: groups }, (_unused, index) => index))(
    "is seen as that, in all it breaks and nothing else: group %i",
    async (group) => {
      const plants = found.filter((_plant, index) => index % groups === group);
      const report = await runAgainst(mock, quick, mutated(mock, plants));
      const expected = plants.flatMap((plant) => plant.expected);
      expect(brokenIn(report), plants.map(({ name }) => name).join("; ")).toEqual(
        expected.toSorted(),
      );
    },
  );
});

test("webhooks signed with the secret of another key are found", async () => {
  const mock = signedWithLastSecret();
  const report = await runAgainst(mock, ["keys.webhook-secret.own"]);
  expect(brokenIn(report)).toEqual(["keys.webhook-secret.own"]);
  mock.close();
});

test("there is a plant for every check", () => {
  const caught = new Set(requestMutants.flatMap(({ expected }) => expected));
  const missed = requestChecks.map(({ id }) => id).filter((id) => !caught.has(id));
  expect(missed).toEqual(["keys.webhook-secret.own"]);
});

/** A server that signs every webhook with the secret that it has made last. */
function signedWithLastSecret(): Mock {
  const made: string[] = [];
  const mock = createMock({
    clock: "manual",
    sendWebhook: async (request) => {
      const body = await request.text();
      const signature = createHmac("sha256", made.at(-1) ?? "").update(body);
      const headers = new Headers(request.headers);
      headers.set("x-service-signature", `sha256=${signature.digest("hex")}`);
      return fetch(request.url, { method: "POST", headers, body });
    },
  });
  return {
    ...mock,
    fetch: async (input, init) => {
      const response = await mock.fetch(input, init);
      const secret = /"webhook_secret":"(\w+)"/.exec(await response.clone().text())?.[1];
      if (secret !== undefined) made.push(secret);
      return response;
    },
  };
}
