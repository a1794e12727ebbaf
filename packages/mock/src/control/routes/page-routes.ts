import { html, json } from "../../http/responses.ts";
import type { Router } from "../../http/router.ts";
import { badRequest, ServiceError } from "../../service/service-error.ts";
import { host } from "../../system/host.ts";
import type { ServerState } from "../server-states.ts";
import type { Fault } from "../fault.ts";
import type { JournalEntry } from "../journal-entry.ts";
import type { Journal } from "../journal.ts";
import { parseTarget } from "../request-pattern.ts";
import { readQuery, type ControlledMock } from "./input.ts";
import { stateView } from "./state-view.ts";
import { exchangeView, journalEntryView } from "./views.ts";

export interface ControlContext {
  readonly current: () => ServerState;
  readonly journal: Journal;
}

/** Adds the control page. It holds no data, so pages of other origins may link to it. */
export function addPage(router: Router): void {
  router.add("GET", "/__mock", async ({ path }) => {
    if (!path.endsWith("/")) return { status: 302, headers: { location: `${path}/` }, body: null };
    // The text of the page is large, so only a request for it loads it.
    const { page, contentSecurityPolicy } = await import("../../generated/control-page.ts");
    return html(page, 200, {
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
    });
  });
}

export type Requests = ReturnType<typeof requestsView>;

export type RequestDetails = ReturnType<typeof exchangeView>;

const limits = { requests: 100, nearest: 3 } as const;

function requestsView(
  journal: Journal,
  faults: readonly Fault[],
  { status = "", path = "" }: { readonly status?: string; readonly path?: string },
) {
  const passes = ({ status: actual, path: actualPath, durationMs }: JournalEntry): boolean => {
    const text = String(actual ?? (durationMs === null ? "pending" : "broken"));
    const isError = actual === null ? durationMs !== null : actual >= 400;
    const hasStatus = status === "error" ? isError : text.startsWith(status.replace(/xx$/, ""));
    return hasStatus && actualPath.includes(path);
  };
  const { total, entries } = journal.latest(passes, limits.requests);
  const unmatched = faults.filter(({ matched }) => matched === 0);
  return {
    total,
    latest: entries.map(journalEntryView),
    near_faults: unmatched.map(({ id, on }) => {
      const pattern = parseTarget("on", on);
      const requests = pattern === undefined ? [] : journal.nearest(pattern, limits.nearest);
      return { fault_id: id, requests };
    }),
  };
}

const statusFilter = /^(|error|broken|pending|[1-5](xx|\d\d))$/;

export function addPageRoutes(
  router: Router,
  mock: ControlledMock,
  { current: currentState, journal }: ControlContext,
): void {
  const generations = new WeakMap<ServerState, number>();
  // A page that stays open distinguishes this server from an earlier one at the same URL.
  let lastGeneration = host.now();

  router.add("GET", "/__mock/state", async (request) => {
    readQuery(request, []);
    const state = currentState();
    const generation = generations.get(state) ?? (lastGeneration += 1);
    generations.set(state, generation);
    return json(stateView(mock, state, generation));
  });

  router.add("GET", "/__mock/requests", async (request) => {
    const query = readQuery(request, ["status", "path"]);
    if (!statusFilter.test(query.status ?? "")) {
      return badRequest(
        "status must be a status such as 402, a class such as 4xx, error, broken or pending.",
      );
    }
    return json(requestsView(journal, mock.faults.list(), query));
  });

  router.add("GET", "/__mock/requests/:id", async (_request, id) => {
    const found = journal.exchange(id);
    if (found !== undefined) return json(exchangeView(found.entry, found.exchange));
    throw new ServiceError(
      "not-found",
      "Unknown request. The headers and bodies of the newest 200 are kept.",
    );
  });

  router.add("GET", "/__mock/images/:file", async (_request, file) => {
    const jobId = /^(.+)\.png$/.exec(file)?.[1];
    const { jobs } = currentState().service;
    const bytes = jobId === undefined ? undefined : await jobs.result(jobId);
    if (bytes === undefined) throw new ServiceError("not-found", "Unknown image.");
    return { status: 200, headers: { "content-type": "image/png" }, body: bytes };
  });
}
