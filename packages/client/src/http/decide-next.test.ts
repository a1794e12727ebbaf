import { readFileSync } from "node:fs";

import { assert, boolean, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { Budget, isTryOnError, type Middleware, type TryOnOptions } from "../index.ts";
import { received } from "../../test/received.ts";
import {
  createService,
  cut,
  input,
  noResponse,
  respondAfter,
  respondWith,
  type Fault,
} from "../../test/service.ts";
import type { Stage } from "./http-request.ts";
import { decideNext, firstState, type RetryLimits } from "./decide-next.ts";
import { none, outcomeTable, serverError, unknown, type Outcome } from "./outcome-table.ts";

const page = "<html><title>Sorry</title></html>";
const detail = { detail: "no" };
/** Body of a gateway. */
const foreign = { message: "no" };
const elsewhere = { location: "https://status.example/" };

interface Example {
  readonly faults: readonly (Fault | undefined)[];
  /** Code of a call without retries. */
  readonly code: string | undefined;
  /** True if the service has made the job. */
  readonly charged: boolean;
}

const unproven = { code: "outcome_unknown", charged: true } as const;
const free = { charged: false } as const;

/** Fails a request as the transport of Node does if the proxy that it uses responds with this status. */
const refusedByProxy =
  (proxyStatus: number): Fault =>
  () =>
    Promise.reject(Object.assign(new Error("refused"), { code: "ERR_PROXY_TUNNEL", proxyStatus }));

/** Error of `fetch` in Node with the code of the system. */
const failureOf = (code: string): TypeError =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) });

/** Outcomes of a submission by the row of the table that they belong to. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  "not sent": [],
  "refused by a forward proxy": [407, 403, 405].map((status) => ({
    faults: [refusedByProxy(status)],
    code: "connection_failed",
    ...free,
  })),
  "no connection": [
    { faults: [cut.refused], code: "connection_failed", ...free },
    ...[
      "ENOTFOUND",
      "UND_ERR_CONNECT_TIMEOUT",
      "CERT_HAS_EXPIRED",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
    ].map((code) => ({
      faults: [() => Promise.reject(failureOf(code))],
      code: "connection_failed",
      ...free,
    })),
    ...[502, 503, 429, 408].map((status) => ({
      faults: [refusedByProxy(status)],
      code: "connection_failed",
      ...free,
    })),
  ],
  // Only the transport of Node can tell: its tests have examples.
  "upload broken off": [],
  "not the service": [
    ...[404, 405].flatMap((status) =>
      [page, detail].map((body) => ({
        faults: [respondWith(status, body), respondWith(status, body)],
        code: status === 404 ? "not_found" : "bad_request",
        ...free,
      })),
    ),
    {
      faults: [respondWith(302, "", elsewhere), respondWith(302, "", elsewhere)],
      code: "redirected",
      ...free,
    },
    // A shop accepts no POST, and shows a page to a GET.
    { faults: [respondWith(405, page), respondWith(200, page)], code: "bad_request", ...free },
  ],
  "refused by the proxy": [],
  "form refused": [411, 413, 414, 415, 421, 431].flatMap((status) =>
    [page, detail, foreign].map((body) => ({
      faults: [respondWith(status, body)],
      code: status === 413 ? "payload_too_large" : "bad_request",
      ...free,
    })),
  ),
  refused: Object.entries({
    400: "bad_request",
    401: "unauthorized",
    402: "insufficient_credits",
    403: "forbidden",
    422: "validation_failed",
  }).map(([status, code]) => ({ faults: [respondWith(Number(status), detail)], code, ...free })),
  "rate limit": [
    { faults: [respondWith(429, detail, { "retry-after": "61" })], code: "rate_limited", ...free },
  ],
  "key in use": [{ faults: [respondWith(409, detail)], code: "idempotency_conflict", ...free }],
  "server error": [500, 502, 503, 504, 520, 524].map((status) => ({
    faults: [respondAfter(status, page)],
    code: status === 503 ? "unavailable" : "server_error",
    charged: true,
  })),
  page: [
    { faults: [respondAfter(404, page)], ...unproven },
    { faults: [respondAfter(405, page)], ...unproven },
    // A gateway has fetched its error page from the service.
    { faults: [respondAfter(404, detail)], ...unproven },
    ...[301, 302, 303, 307, 308].map((status) => ({
      faults: [respondAfter(status, "")],
      ...unproven,
    })),
    // The free request proves nothing if it gets no response of anyone, or that of a firewall.
    { faults: [respondAfter(404, page), cut.before], ...unproven },
    { faults: [respondAfter(404, page), respondWith(403, page)], ...unproven },
    { faults: [respondAfter(404, page), respondWith(502, page)], ...unproven },
  ],
  response: [{ faults: [], code: undefined, charged: true }],
  "anything else": [
    ...[400, 401, 402, 403, 407, 408, 410, 418, 422].flatMap((status) =>
      [page, foreign].map((body) => ({ faults: [respondAfter(status, body)], ...unproven })),
    ),
    { faults: [respondAfter(200, page)], ...unproven },
    ...["ENOTFOUND_IN_CACHE", "PROXY_ECONNREFUSED"].map((code) => ({
      faults: [
        async (_request: unknown, pass: () => Promise<unknown>) => {
          await pass();
          throw failureOf(code);
        },
      ],
      ...unproven,
    })),
    { faults: [cut.after], ...unproven },
    { faults: [noResponse.after], ...unproven },
  ],
};

/** Names of the rows, which are comments. `npm run mutation` encloses a row in parentheses. */
const names = readFileSync(new URL("outcome-table.ts", import.meta.url), "utf8").match(
  /(?<=\}\)?,? \/\/ ).+/g,
);
const rowNamed = (name: string) => outcomeTable[Number(names?.indexOf(name))];

it("has examples for every row", () => {
  expect(Object.keys(examples)).toEqual(names);
  expect(names).toHaveLength(outcomeTable.length);
});

const responded = Object.entries(examples).filter(([, rows]) => rows.length > 0);

describe.each(responded)("%s", (name, rows) => {
  const row = rowNamed(name);

  it.each(rows)("ends a submission without retries in $code", async ({ faults, code, charged }) => {
    const { client, run, faults: pending, balance, mock } = createService({ latency: "1s" });
    const budget = new Budget({ maxCredits: 8 });
    const tryon = client({ retries: 0, attemptTimeout: "1m" });
    // Read with the first budget.
    await run(tryon.costs());
    pending.push(...faults);
    const end = await run(
      tryon.run(input, { budget, sync: false, timeout: "3m" }).catch((error: unknown) => error),
    );
    await mock.clock.advance("5m");
    const error = isTryOnError(end) ? end : undefined;
    expect(error?.code).toBe(code);
    expect(await balance()).toBe(charged ? 992 : 1_000);
    // The budget never frees credits that the service has taken.
    expect(budget.spent + budget.reserved).toBe(charged ? 8 : 0);
    const mayBeMade = row !== undefined && row.proves > 0 && error !== undefined;
    expect(Reflect.has(Object(error), "recover")).toBe(mayBeMade);
  });

  it.each(rows.filter(({ charged }) => charged))(
    "makes one job and pays once with retries, after $faults.length faults",
    async ({ faults }) => {
      const { client, run, faults: pending, keys, balance } = createService({ latency: "1s" });
      pending.push(...faults);
      const result = await run(client({ attemptTimeout: "1m" }).run(input, { sync: false }));
      expect(result.job.status).toBe("succeeded");
      expect([keys().size, await balance()]).toEqual([1, 992]);
    },
  );
});

it.each([
  [{ apiKey: "svc_test_a", baseUrl: "https://tryon.example" }, 4, true],
  [{ apiKey: undefined, baseUrl: undefined, proxyUrl: "https://shop.example/tryon" }, 1, false],
])("refused by the proxy: believes the proxy of this package alone, with %o", async (...row) => {
  const [options, attempts, mayBeMade] = row;
  const { client, error, faults } = createService();
  const refused = respondWith(503, { ...detail, retryable: false });
  faults.push(refused, refused, refused, refused);
  const failed = await error(client(options).submit(input));
  expect(failed).toMatchObject({ code: "unavailable", attempts: { length: attempts } });
  expect(Reflect.has(Object(failed), "recover")).toBe(mayBeMade);
});

it("names the URL quickly if it is not that of the service", async () => {
  const { error, tryon, faults, sent } = createService();
  faults.push(respondWith(404, page), respondWith(404, page));
  const failed = await error(tryon.run(input));
  expect(failed).toMatchObject({ code: "not_found", status: 404, attempts: { length: 1 } });
  expect(String(Object(failed).message)).toMatch(/^baseUrl .*404.*Sorry/);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /api/v1/tryon",
    "GET /api/v1/account",
  ]);
});

it("asks only once per call if the service is at its URL", async () => {
  const { error, tryon, faults, sent } = createService();
  const gone = respondAfter(404, page);
  faults.push(gone, undefined, gone, gone, gone);
  expect(await error(tryon.submit(input))).toMatchObject({ code: "outcome_unknown" });
  expect(sent.filter(({ method }) => method === "GET")).toHaveLength(1);
});

const refuseReads: Middleware = (request, following, { purpose }) =>
  purpose === "read" ? Promise.reject(new Error("no reads")) : following(request);

it("waits after a 429 to that question, and survives a middleware that refuses it", async () => {
  const { run, client, faults, sent, balance } = createService();
  faults.push(respondAfter(404, page), respondWith(429, detail, { "retry-after": "20" }));
  await run(client().submit(input));
  const [, question, repeat] = sent;
  expect([question?.method, repeat?.method]).toEqual(["GET", "POST"]);
  expect((repeat?.at ?? 0) - (question?.at ?? 0)).toBeGreaterThanOrEqual(20_000);
  faults.push(respondAfter(404, page));
  await run(client({ middleware: refuseReads }).submit(input));
  expect(await balance()).toBe(984);
});

const limits: RetryLimits = {
  purpose: "submit",
  isProxy: false,
  sync: true,
  retries: 3,
  waits: true,
  idempotencyWindow: 1_620_000,
  length: 1_000,
  random: () => 0.5,
};
const end = { now: 1e12, left: 600_000, duration: 10_000, age: 10_000, uncertainFor: undefined };

const next = (outcome: Outcome, change: Partial<RetryLimits> = {}, duration = end.duration) =>
  decideNext({ ...limits, ...change }, firstState, outcome, { ...end, duration, age: duration });

/** Returns true for a cut, and the number of retries that the attempt uses up if it is retried. */
const cutOf = (...given: Parameters<typeof next>) => {
  const { isCut, retry } = next(...given);
  return [isCut, retry?.state.failures];
};

describe("a cut of a synchronous response", () => {
  it.each([408, 500, 501, 502, 503, 504, 520, 522, 524, 599])(
    "is any %i without JSON of the service after 5 s, and uses up no retry",
    (status) => {
      const outcome = received(status);
      expect(cutOf(outcome)).toEqual([true, 0]);
      expect(cutOf(outcome, {}, 4_999)).toEqual([false, 1]);
      expect(cutOf(outcome, { sync: false })).toEqual([false, 1]);
      expect(cutOf(outcome, { retries: 0 })).toEqual([true, undefined]);
    },
  );

  it.each<[Outcome, boolean, number]>([
    ...[500, 503].map((status): [Outcome, boolean, number] => [received(status, detail), false, 1]),
    ...[200, 403, 404, 418, 499].map((status): [Outcome, boolean, number] => [
      received(status),
      false,
      1,
    ]),
    [{ failure: "timed_out", stage: "connecting" }, false, 1],
    [{ failure: "timed_out", stage: "uploading" }, false, 1],
    [{ failure: "timed_out", stage: "sent" }, true, 0],
  ])("is %o: %s, which uses up %i retries", (outcome, isCut, failures) => {
    expect(cutOf(outcome)).toEqual([isCut, failures]);
  });

  it.each([
    [90_000, 0],
    [90_001, 1],
  ])("after %i ms uses up %i retries", (duration, failures) => {
    const { retry } = next(received(504, undefined), {}, duration);
    expect(retry?.state.failures).toBe(failures);
  });

  it("uses up retries once 64 MiB were uploaded again", () => {
    const outcome = received(504, undefined);
    const length = 2 ** 24;
    let state = firstState;
    const failures: number[] = [];
    for (let cuts = 0; cuts < 6; cuts += 1) {
      const { retry } = decideNext({ ...limits, length }, state, outcome, end);
      state = retry?.state ?? state;
      failures.push(state.failures);
    }
    expect(failures).toEqual([0, 0, 0, 0, 1, 2]);
  });
});

const uploadLost = (
  stage: Stage,
  size = 2 ** 23,
  failure: "connection_failed" | "timed_out" = "connection_failed",
): Outcome => ({ failure, stage, brokenUpload: size });
const after = (outcome: Outcome, state = firstState) =>
  decideNext({ ...limits, sync: false }, state, outcome, end);

describe("an upload that broke off", () => {
  it("proves that nothing happened if a transport knows that its body was not sent", () => {
    expect(after(uploadLost("uploading")).row).toMatchObject({ proves: none, next: "retry" });
    expect(after(uploadLost("uploading", 0, "timed_out")).row.proves).toBe(none);
    for (const stage of ["sent", "reused"] as const)
      expect(after(uploadLost(stage)).row.proves).toBe(unknown);
  });

  it.each([
    [2 ** 25, [0]],
    [2 ** 23, [0, 500]],
    [2 ** 22, [0, 500, 1_000]],
  ])("of %i bytes is repeated at once, and then within 16 MiB", (size, expected) => {
    const delays: number[] = [];
    for (let state = firstState; ;) {
      const { retry } = after(uploadLost("uploading", size), state);
      if (!retry) break;
      delays.push(retry.delay);
      ({ state } = retry);
    }
    expect(delays).toEqual(expected);
  });

  it("is not repeated at once after a timeout", () => {
    expect(after(uploadLost("uploading", 0, "timed_out")).retry?.delay).toBe(250);
  });
});

it.each<[Outcome, boolean]>([
  [{ failure: "unsent" }, false],
  [{ failure: "rate_limited" }, false],
  [{ failure: "connection_failed", cause: { proxyStatus: 407 } }, false],
  [{ failure: "connection_failed", cause: { proxyStatus: 503 } }, true],
  [{ failure: "connection_failed", stage: "sent" }, true],
])("a read that ends in %o is retried: %s", (outcome, isRetried) => {
  expect(next(outcome, { purpose: "read" }).retry !== undefined).toBe(isRetried);
});

describe("the limits of retries", () => {
  /** Returns the retry after an outcome, with the delay 250 ms. */
  const retryOf = (
    status: number,
    change: Partial<RetryLimits & { uncertainFor: number; conflictSince: number; left: number }>,
  ) => {
    const { uncertainFor, conflictSince, left = end.left, ...own } = change;
    const state = conflictSince === undefined ? firstState : { ...firstState, conflictSince };
    const time = { ...end, left, duration: 1, age: 1, uncertainFor };
    return decideNext({ ...limits, ...own }, state, received(status, detail), time);
  };
  const { now } = end;

  it.each([
    [{ uncertainFor: 9 }, true],
    [{}, false],
    [{ uncertainFor: 9, purpose: "purchase" }, false],
    [{ uncertainFor: 9, conflictSince: now - 119_750 }, true],
    [{ uncertainFor: 9, conflictSince: now - 119_751 }, false],
    [{ uncertainFor: 9, retries: 0 }, true],
  ] as const)("decide about a 409 after %j: %s", (change, isRetried) => {
    const { retry } = retryOf(409, change);
    expect(retry !== undefined).toBe(isRetried);
    const since = "conflictSince" in change ? change.conflictSince : now;
    expect(retry?.state.conflictSince).toBe(isRetried ? since : undefined);
    expect(retry?.state.failures ?? 0).toBe(0);
  });

  it("keep the time of a first 409 after another failure", () => {
    const { retry } = retryOf(500, { uncertainFor: 9, conflictSince: 7 });
    expect(retry?.state).toMatchObject({ conflictSince: 7, failures: 1 });
    expect(retryOf(500, {}).retry?.state.conflictSince).toBeUndefined();
  });

  it.each([
    [500, { uncertainFor: 750, idempotencyWindow: 1_000 }, true],
    [500, { uncertainFor: 751, idempotencyWindow: 1_000 }, false],
    [500, { uncertainFor: 751, idempotencyWindow: 1_000, purpose: "purchase" }, true],
    // A key that made nothing cannot be forgotten.
    [429, { idempotencyWindow: 1 }, true],
    [429, { waits: false }, false],
    [429, { waits: false, uncertainFor: 9 }, true],
    [429, { waits: false, uncertainFor: 9, purpose: "read" }, false],
    [500, { waits: false }, true],
    [500, { purpose: "write" }, false],
    [429, { purpose: "write" }, true],
    [429, { purpose: "write", uncertainFor: 9 }, false],
    [500, { left: 250 }, false],
    [500, { left: 251 }, true],
  ] as const)("decide about a %i with %j: %s", (status, change, isRetried) => {
    expect(retryOf(status, change).retry !== undefined).toBe(isRetried);
  });

  it.each([
    [60_000, 60_000],
    [60_001, undefined],
  ])("follow a requested delay of %i ms: %s", (requestedDelay, delay) => {
    const response = { ...received(503, detail).response, requestedDelay };
    expect(next({ response }).retry?.delay).toBe(delay);
  });

  it("repeat a request at once on one stale connection, after any other failure", () => {
    const seen: unknown[] = [];
    let state = firstState;
    for (const outcome of [received(500, detail), uploadLost("reused"), uploadLost("reused")]) {
      const { retry } = decideNext(limits, state, outcome, end);
      state = retry?.state ?? state;
      seen.push([retry?.delay, state.hasRetriedStale]);
    }
    expect(seen).toEqual([
      [250, false],
      [0, true],
      [1_000, true],
    ]);
  });

  it.each<[Outcome, boolean]>([
    [{ ...received(404, page), isElsewhere: false }, true],
    [received(500, detail), false],
    [uploadLost("sent"), false],
  ])("remember that the service is at its URL: %o, %s", (outcome, hasIdentified) => {
    const { retry } = next(outcome);
    expect(retry?.state.hasIdentified).toBe(hasIdentified);
    const known = { ...firstState, hasIdentified: true };
    const later = decideNext(limits, known, uploadLost("sent"), end);
    expect(later.retry?.state.hasIdentified).toBe(true);
  });

  it.each([
    [{}, 250],
    [{ purpose: undefined }, undefined],
    [{ isProxy: true }, undefined],
    [{ isProxy: true, purpose: "read" }, 250],
    [{ waits: false }, 250],
  ] as const)("block other calls after a 429 with %j for %s ms", (change, block) => {
    expect(retryOf(429, change).block).toBe(block);
  });
});

it("never retries what proves a refusal, and never claims proof without JSON of the service", () => {
  const anyOutcome = record({
    status: integer({ min: 200, max: 599 }),
    content: constantFrom<unknown>(undefined, detail, { message: "no" }, [], "text", null),
  });
  assert(
    property(
      anyOutcome,
      constantFrom("submit", "purchase"),
      boolean(),
      integer({ min: 0, max: 100_000 }),
      ({ status, content }, purpose, sync, duration) => {
        const { row, retry } = decideNext(
          { ...limits, purpose, sync, idempotencyWindow: 1e6, random: () => 0 },
          firstState,
          received(status, content),
          { ...end, left: 1e6, duration, age: duration },
        );
        const isForm = [411, 413, 414, 415, 421, 431].includes(status);
        const isProof = row.proves < serverError;
        const violations = {
          "proof without JSON of the service": isProof && content !== detail && !isForm,
          "no retry": row.proves === unknown && row !== rowNamed("response") && !retry,
          "retried refusal": row.proves === none && status !== 429 && retry !== undefined,
        };
        expect(Object.entries(violations).filter(([, holds]) => holds)).toEqual([]);
      },
    ),
    { numRuns: cases(2_000) },
  );
});

describe("the message of an error", () => {
  const missing = { detail: "Not Found" };

  it.each<[number, unknown, string, TryOnOptions?]>([
    [403, page, "403: a page answered, not the service: Sorry. Check baseUrl and proxies"],
    [404, missing, "to which the client adds /api/v1."],
    [404, missing, "adds /api/v1: remove its /api.", { baseUrl: "https://tryon.example/api" }],
    [401, { detail: "No such key." }, "401: No such key. Check"],
    [401, { detail: "Wait…" }, "401: Wait…. Check"],
    [401, "<p>No access to this site. </p>", "No access to this site. Check baseUrl"],
    [429, detail, "Wait 90 s."],
  ])("after a %i with %j to a call without an id has %j", async (status, body, text, options) => {
    const { error, client, faults } = createService();
    faults.push(respondWith(status, body, { "retry-after": "90" }));
    const { message } = (await error(client(options).account.get())) as Error;
    expect(message).toContain(text);
    expect(message).not.toMatch(/\bid\b|\.\./);
  });

  it("names the id after a 404 to a call with one", async () => {
    const { error, tryon } = createService();
    expect(String(await error(tryon.jobs.get("job_1")))).toContain("Check the id");
  });

  it.each([
    [{ timeout: 180 }, "did not end within 180 ms: did you mean seconds?"],
    [{ timeout: "45s" }, "did not end within 45 s."],
  ] as const)("has the numbers of %o", async (options, text) => {
    const { run, error, tryon } = createService({ latency: "5m" });
    const job = await run(tryon.submit(input));
    expect(String(await error(job.result(options)))).toContain(text);
  });
});
