import { createMock } from "@tryon/mock";
import { afterAll, afterEach, expect, test } from "vitest";

import { requestProbes } from "../../probes/requests.ts";
import { foundIds, runAgainst } from "../../../test/run-checks.ts";
import { requestMutants } from "../../../test/mutants/requests/index.ts";
import { isList, tampered, type Tamper } from "../../../test/mutants/mutated-responses.ts";
import { requestChecks } from "../index.ts";

const all = [...requestChecks, ...requestProbes];
const isSlow = (id: string): boolean => id.startsWith("large.") || id === "observed.oversize";
const fast = all.map(({ id }) => id).filter((id) => !isSlow(id));

// The server keeps its images when it is reset, and drawing them takes most of the time.
const mock = createMock({ clock: "manual" });
afterEach(() => mock.reset());
afterAll(() => mock.close());

test.each(requestMutants)("finds only $expected for a server that $name", async (mutant) => {
  const { plant, expected } = mutant;
  const only = expected.some(isSlow) ? [...fast, "large."] : fast;
  expect(foundIds(await runAgainst(mock, only, plant(mock)))).toEqual(expected.toSorted());
});

const omitQueued: Tamper = (request) =>
  isList(request) && request.url.searchParams.get("status_filter") === "queued"
    ? Promise.resolve(Response.json({ jobs: [], next_cursor: null }))
    : request.send();

test("finds that the filter omits queued jobs", async () => {
  const server = createMock({ clock: "manual", concurrency: 1, options: { reportQueued: true } });
  const id = "list-query.status-filter.unfinished";
  expect(foundIds(await runAgainst(server, [id], tampered(server, omitQueued)))).toEqual([id]);
  expect(foundIds(await runAgainst(server, [id]))).toEqual([]);
  server.close();
});

test("has a mutant for every check", () => {
  const caught = new Set(requestMutants.flatMap(({ expected }) => expected));
  const missed = requestChecks.map(({ id }) => id).filter((id) => !caught.has(id));
  expect(missed).toEqual([]);
});
