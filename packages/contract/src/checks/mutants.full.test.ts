import { createHmac } from "node:crypto";

import { createMock, type Mock } from "@tryon/mock";
import { afterAll, describe, expect, test } from "vitest";

import { billingProbes, webhookProbes } from "../probes/billing.ts";
import { jobProbes } from "../probes/jobs.ts";
import { requestProbes } from "../probes/requests.ts";
import { failures, foundIds, runAgainst, runArea } from "../../test/run-checks.ts";
import { billingMutants } from "../../test/mutants/billing/index.ts";
import { jobMutants } from "../../test/mutants/jobs/index.ts";
import { planted, type Mutant } from "../../test/mutants/mutant.ts";
import { isList, jobs, tampered } from "../../test/mutants/mutated-responses.ts";
import { requestMutants } from "../../test/mutants/requests/index.ts";
import { publicWebhookMutants, webhookMutants } from "../../test/mutants/webhooks/index.ts";
import type { Report } from "../report.ts";
import { billingChecks, jobChecks, requestChecks, webhookChecks } from "./index.ts";

const isSlow = (id: string): boolean => id.startsWith("large.") || id === "observed.oversize";
const fast = [...requestChecks, ...requestProbes].map(({ id }) => id).filter((id) => !isSlow(id));
// The server keeps its images when it is reset, and drawing them takes most of the time.
const shared = createMock({ clock: "manual" });
afterAll(() => shared.close());

const areas = {
  requests: {
    checks: requestChecks,
    mutants: requestMutants,
    async run({ plant, expected }: Mutant): Promise<Report> {
      await shared.reset();
      const only = expected.some(isSlow) ? [...fast, "large."] : fast;
      return runAgainst(shared, only, plant(shared));
    },
  },
  jobs: {
    checks: jobChecks,
    mutants: jobMutants,
    run({ plant }: Mutant): Promise<Report> {
      const mock = createMock({ clock: "manual" });
      const ids = [...jobChecks, ...jobProbes].map(({ id }) => id);
      return runAgainst(mock, ids, plant(mock));
    },
  },
  billing: {
    checks: billingChecks,
    mutants: billingMutants,
    run: ({ plant }: Mutant) =>
      runArea({ checks: billingChecks, probes: billingProbes }, {}, plant),
  },
  webhooks: {
    checks: webhookChecks,
    mutants: [...webhookMutants, ...publicWebhookMutants],
    run(mutant: Mutant): Promise<Report> {
      const allowPrivateWebhooks = !publicWebhookMutants.includes(mutant);
      const suite = { checks: webhookChecks, probes: webhookProbes };
      return runArea(suite, { allowPrivateWebhooks }, mutant.plant);
    },
  },
};

describe.each(Object.entries(areas))("the checks of %s", (_area, area) => {
  const { checks, mutants } = area;
  test.each(mutants)("find only $expected for a server that $name", async (mutant) => {
    const report = await area.run(mutant);
    expect(foundIds(report), failures(report)).toEqual(mutant.expected.toSorted());
  });

  test("have a mutant each", () => {
    const caught = new Set(mutants.flatMap(({ expected }) => expected));
    expect(checks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });
});

test("fails for a result_url that is a path", async () => {
  const mock = createMock({ clock: "manual" });
  const change = jobs(({ result_url: url }) => ({ result_url: url && "/results/1.png" }));
  const only = ["job.result-url.signed", "observed.resultsOrigin"];
  const report = await runAgainst(mock, only, planted(mock, change));
  expect(foundIds(report)).toEqual(["job.result-url.signed"]);
  expect(report.profile.options).toEqual({});
});

test("finds that the filter omits queued jobs", async () => {
  const server = createMock({ clock: "manual", concurrency: 1, options: { reportQueued: true } });
  const omitting = tampered(server, (request) =>
    isList(request) && request.url.searchParams.get("status_filter") === "queued"
      ? Promise.resolve(Response.json({ jobs: [], next_cursor: null }))
      : request.send(),
  );
  const id = "list-query.status-filter.unfinished";
  expect(foundIds(await runAgainst(server, [id], omitting))).toEqual([id]);
  expect(foundIds(await runAgainst(server, [id]))).toEqual([]);
  server.close();
});

test("fails for webhooks signed with the secret of another key", async () => {
  const server = signWithLastSecret();
  const report = await runAgainst(server, ["webhooks.secret.of-key"]);
  expect(foundIds(report)).toEqual(["webhooks.secret.of-key"]);
  server.close();
});

function signWithLastSecret(): Mock {
  let secret = "";
  const server = createMock({
    clock: "manual",
    sendWebhook: async (request) => {
      const body = await request.text();
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      const headers = new Headers(request.headers);
      headers.set("x-service-signature", `sha256=${signature}`);
      return fetch(request.url, { method: "POST", headers, body });
    },
  });
  return {
    ...server,
    fetch: async (input, init) => {
      const response = await server.fetch(input, init);
      secret = /"webhook_secret":"(\w+)"/.exec(await response.clone().text())?.[1] ?? secret;
      return response;
    },
  };
}
