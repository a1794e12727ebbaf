import { createMock, optionTable, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { tenth } from "@tryon/test-kit/cases";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { controlToken } from "../../test/served.ts";
import { scenes, Traffic } from "../../test/traffic.ts";
import { Observer } from "../observe/observer.ts";
import type { Recorded } from "../observe/session-file.ts";
import type { Exchange, Marker } from "../record/exchange.ts";
import { BytesRecorder } from "../record/content-recorder.ts";
import { formatReplay } from "./replay-report.ts";
import { regenerate } from "./regenerate-image.ts";
import { replay, type ReplayOptions, type ReplayResult } from "./replay.ts";

const scenarioNames = Object.keys(scenes);

const opened: Mock[] = [];
afterEach(() => opened.splice(0).forEach((mock) => mock.close()));

function mockOf(options: MockOptions = {}): Mock {
  const mock = createMock({ clock: "manual", ...options });
  opened.push(mock);
  return mock;
}

async function record(
  names: readonly string[],
  options: MockOptions = {},
): Promise<readonly Recorded[]> {
  const mock = mockOf({ seed: 1, concurrency: 1, ...options });
  const traffic = new Traffic(mock);
  for (const name of names) {
    await scenes[name]?.(traffic);
    await mock.clock.advance("2m");
  }
  return sessionOf(traffic.exchanges);
}

function sessionOf(exchanges: readonly Exchange[]): readonly Recorded[] {
  return exchanges.map((exchange, index) => ({
    // The line is JSON.
    exchange: JSON.parse(JSON.stringify(exchange)) as Exchange,
    place: `s:${index + 1}`,
  }));
}

async function replayOn(
  mock: Mock,
  session: readonly Recorded[],
  options: Partial<ReplayOptions> = {},
  change: (response: Response, request: Request) => Promise<Response> = async (response) =>
    response,
): Promise<ReplayResult> {
  const fetch: typeof globalThis.fetch = async (resource, init) => {
    const request = new Request(resource, init);
    const response = await mock.fetch(request.clone());
    return request.url.includes("/__mock/") ? response : change(response, request);
  };
  return replay(session, { against: mock.baseUrl, paid: true, keys: {}, fetch, ...options });
}

/** Hides the control API, as other deployments do. */
function withoutControl(mock: Mock): Mock {
  const fetch: typeof mock.fetch = async (resource, init) => {
    const request = new Request(resource, init);
    if (!new URL(request.url).pathname.startsWith("/__mock")) return mock.fetch(request);
    return Response.json({ detail: "Not Found" }, { status: 404 });
  };
  return { ...mock, fetch };
}

function tokenKey(token: string) {
  const kind = token.startsWith("svc_test_") ? ("test" as const) : ("live" as const);
  return { token, kind, webhookSecret: undefined, accountId: undefined };
}

function shownValues(session: readonly Recorded[]): ReadonlyMap<string, unknown> {
  const observer = new Observer();
  for (const { exchange, place } of session) observer.add(exchange, place);
  return new Map(
    observer
      .end()
      .options.flatMap(({ option, value }) =>
        value === undefined ? [] : [[option, value] as const],
      ),
  );
}

describe.each(["default", "alternate"] as const)("under the profile %s", (profile) => {
  let session: readonly Recorded[];
  let shown: ReadonlyMap<string, unknown>;
  beforeAll(async () => {
    session = await record(scenarioNames, { profile });
    shown = shownValues(session);
  });

  test("a server like the recorded one shows no drift in any exchange", async () => {
    const result = await replayOn(mockOf({ profile }), session);
    expect(result.drift).toEqual([]);
    expect(result.notCompared).toEqual([]);
    expect(result.compared).toBe(session.length);
  });

  const { options } = createMock({ profile });
  const changes = optionTable.flatMap(({ id, values }) =>
    values.filter((value) => value !== options[id]).map((value) => ({ id, value })),
  );
  // Each takes half a second.
  test.each(tenth(changes, 30))(
    "one option that changed is the only drift: $id $value",
    async ({ id, value }) => {
      const changed: MockOptions = { profile, options: { [id]: value } };
      const [before, after] = [
        shown.get(id),
        shownValues(await record(scenarioNames, changed)).get(id),
      ];
      const { drift } = await replayOn(mockOf(changed), session);
      const isShown = before !== undefined && after !== undefined && before !== after;
      // A queue is not part of a replay. A status can show a change that its value alone does not.
      const allowed = isShown && id !== "reportQueued" ? [[id]] : [[], [id]];
      expect(allowed).toContainEqual(
        drift.map(({ option, rule, what }) => option ?? `${rule} ${what}`),
      );
    },
  );
});

type Body = Record<string, unknown>;

const isPoll = ({ method, url }: Request): boolean => method === "GET" && url.includes("/job_");
const isSubmission = ({ method, url }: Request): boolean =>
  method === "POST" && url.endsWith("/tryon");

function editing(isEdited: (request: Request) => boolean, edit: (body: Body) => void) {
  return async (response: Response, request: Request): Promise<Response> => {
    if (!isEdited(request)) return response;
    const body = (await response.json()) as Body;
    edit(body);
    return Response.json(body, { status: response.status, headers: response.headers });
  };
}

async function recordJob(fields: Body, isTest = false): Promise<readonly Recorded[]> {
  const traffic = new Traffic(mockOf());
  await traffic.finish(fields, isTest ? { key: traffic.mock.keys.test } : {});
  return sessionOf(traffic.exchanges);
}

test.each<[string, (body: Body) => void, string]>([
  ["a missing field", (body) => delete body["duration_ms"], "duration_ms is missing"],
  ["a new field", (body) => (body["brand"] = 1), "brand is new"],
  [
    "another type",
    (body) => (body["cost_credits"] = "8"),
    "cost_credits is of type string instead of number",
  ],
])("%s in the response to a poll is drift of its rule", async (_, change, what) => {
  const session = await record(["repeats"]);
  const { drift } = await replayOn(mockOf(), session, {}, editing(isPoll, change));
  expect(drift[0]).toMatchObject({
    rule: "poll.request-and-answer",
    what: `GET /api/v1/tryon/{job_id}: ${what}`,
    places: ["s:2", "s:3"],
  });
});

test.each<[string, (problem: Body) => void, string[]]>([
  [
    "another type",
    (problem) => (problem["type"] = "range_error"),
    [
      "validation-error.type.string: detail of body.seed has the type range_error instead of greater_than_equal",
    ],
  ],
  [
    "another path",
    (problem) => (problem["loc"] = ["body", "settings", "seed"]),
    [
      "validation-error.loc.path: detail lacks body.seed (greater_than_equal)",
      "validation-error.loc.path: detail has body.settings.seed (greater_than_equal)",
    ],
  ],
  ["another message", (problem) => (problem["msg"] = "Too small"), []],
])("%s of an invalid field is compared with the recording", async (_, change, expected) => {
  const traffic = new Traffic(mockOf());
  await traffic.submit({ seed: -1 });
  const edit = editing(isSubmission, ({ detail }) => (detail as Body[]).forEach(change));
  const { drift } = await replayOn(mockOf(), sessionOf(traffic.exchanges), {}, edit);
  const texts = drift.map(({ rule, what }) => `${rule}: ${what.replace(/^.*?: /, "")}`);
  expect(texts).toEqual(expected);
});

test.each<[string, Body, boolean, (request: Request) => boolean, string]>([
  ["of a poll", { output_size: "2K" }, false, isPoll, "sizes.2k.cost"],
  ["of a submission", { output_size: "4K" }, false, isSubmission, "sizes.4k.cost"],
  ["of a poll with a test key", {}, true, isPoll, "test-key.free"],
])("another cost in the response %s is drift", async (_, fields, isTest, isEdited, rule) => {
  const edit = editing(isEdited, (body) => (body["cost_credits"] = 13));
  const { drift } = await replayOn(mockOf(), await recordJob(fields, isTest), {}, edit);
  expect(drift).toMatchObject([{ rule, what: expect.stringMatching(/is 13 instead of \d+$/) }]);
});

test("another cost of a size in the account is drift", async () => {
  const traffic = new Traffic(mockOf());
  await traffic.get("/api/v1/account");
  const edit = editing(
    ({ url }) => url.endsWith("/account"),
    (body) => Object.assign(Object(body["tryon_cost_credits"]), { "1K": 9 }),
  );
  const { drift } = await replayOn(mockOf(), sessionOf(traffic.exchanges), {}, edit);
  expect(drift).toMatchObject([{ rule: "account.tryon-cost-credits.costs" }]);
});

test.each<[string, (body: Body) => void, string]>([
  ["seed", (body) => (body["seed"] = 8), "job.seed.used"],
  ["seed", (body) => (body["seed"] = null), "job.seed.used"],
  // The same length as recorded. Sessions have only lengths of metadata.
  ["metadata", (body) => (body["metadata"] = { order: "B-1002" }), "job.metadata.echo"],
  ["metadata", (body) => (body["metadata"] = null), "job.metadata.echo"],
  [
    "size",
    (body) => body["result_width"] && (body["result_width"] = 99),
    "sizes.resolution.pixels",
  ],
  ["size", (body) => (body["result_height"] = null), "sizes.resolution.pixels"],
])("a poll with another %s than its request asked for is drift", async (_, change, rule) => {
  const session = await recordJob({ seed: 7, metadata: { order: "A-1001" } });
  expect((await replayOn(mockOf(), session)).drift).toEqual([]);
  const { drift } = await replayOn(mockOf(), session, {}, editing(isPoll, change));
  expect(drift).toMatchObject([{ rule }]);
});

test("a submission whose response has another seed is drift", async () => {
  const session = await recordJob({ seed: 7, metadata: { order: "A-1001" } });
  const edit = editing(isSubmission, (body) => Object.assign(body, { seed: 8, metadata: {} }));
  const { drift } = await replayOn(mockOf(), session, {}, edit);
  const rules = drift.map(({ rule }) => rule);
  expect(rules).toEqual(["submit-response.seed.used", "submit-response.metadata.echo"]);
});

test("more requests at once than the target has connections leave one for its control API", async () => {
  const traffic = new Traffic(mockOf({ seed: 1 }));
  const submissions = Array.from({ length: 24 }, () => traffic.submit({ wait: true }));
  await traffic.mock.clock.advance("2s");
  await Promise.all(submissions);
  const target = await serve(mockOf({ seed: 2 }), { controlToken, limits: { connections: 10 } });
  onTestFinished(() => target.close());
  const options = { against: target.url, paid: true, keys: {}, controlToken, maxOpen: 5 };
  expect(await replay(sessionOf(traffic.exchanges), options)).toMatchObject({
    compared: 24,
    notCompared: [],
    drift: [],
  });
});

describe("a job that ends otherwise than in the recording", () => {
  const failure = {
    status: "failed",
    result_url: null,
    error_code: "generation_failed",
    error_message: "model_rejected",
  };
  const failing = editing(
    isPoll,
    (body) => body["status"] === "succeeded" && Object.assign(body, failure),
  );

  test("is drift at a reference server, whose outcomes are those of the recording", async () => {
    const { drift, compared } = await replayOn(mockOf(), await recordJob({}), {}, failing);
    const what = "GET /api/v1/tryon/{job_id}: status is failed instead of succeeded";
    expect(drift).toMatchObject([{ rule: "poll.request-and-answer", what, places: ["s:3"] }]);
    expect(compared).toBe(3);
  });

  test.each([
    ["drift with a test key, which calls no model", true, 3],
    ["not compared with a live key", false, 2],
  ])("is %s", async (_, isTest, expected) => {
    const mock = mockOf();
    const { live, test: free } = mock.keys;
    const options = {
      keys: isTest ? { test: tokenKey(free) } : { live: tokenKey(live) },
      allowLive: true,
      maxCredits: 100,
      sleep: (milliseconds: number) => mock.clock.advance(milliseconds),
    };
    const session = await recordJob({}, isTest);
    const result = await replayOn(withoutControl(mock), session, options, failing);
    expect(result.compared).toBe(expected);
    expect(result.drift).toHaveLength(isTest ? 1 : 0);
    expect(result.notCompared).toEqual(
      isTest ? [] : [{ reason: "A job ended otherwise than in the recording", count: 1 }],
    );
  });

  test("is not compared if it still runs", async () => {
    const running = editing(isPoll, (body) => (body["status"] = "running"));
    const { drift, compared, notCompared } = await replayOn(
      mockOf(),
      await recordJob({}),
      {},
      running,
    );
    expect(drift).toEqual([]);
    expect(compared).toBe(2);
    expect(notCompared).toEqual([
      { reason: "A job had ended in only one of the recording and the replay", count: 1 },
    ]);
  });
});

test("a joined submission that ended before the first one shows that it was joined", async () => {
  const session = await record(["twins"]);
  const [first, joined] = session;
  if (first === undefined || joined === undefined) throw new Error("no twins");
  const reversed = [joined, first];
  expect(shownValues(session).get("concurrentTwin")).toBe("join");
  expect(shownValues(reversed).get("concurrentTwin")).toBe("join");
  const { drift } = await replayOn(mockOf({ options: { concurrentTwin: 409 } }), reversed);
  expect(drift.map(({ option }) => option)).toEqual(["concurrentTwin"]);
});

test("a conflict that was recorded at the time of the first submission is not drift", async () => {
  const options = { concurrentTwin: 409 } as const;
  const traffic = new Traffic(mockOf({ options }));
  const key = { "idempotency-key": traffic.unique() };
  const fields = { wait: true, prompt: "mock:slow=4000" };
  const both = [traffic.submit(fields, key), traffic.submit(fields, key)];
  await both[1];
  await traffic.mock.clock.advance("10s");
  await Promise.all(both);
  const session = sessionOf(traffic.exchanges);
  expect(session.map(({ exchange }) => exchange.response?.status)).toEqual([409, 200]);
  expect((await replayOn(mockOf({ options }), session)).drift).toEqual([]);
  const { drift } = await replayOn(mockOf(), session);
  expect(drift.map(({ option }) => option)).toEqual(["concurrentTwin"]);
});

test("another status, header and form of an error are drift of their rules", async () => {
  const session = await record(["foreign", "rateLimit"]);
  const { drift } = await replayOn(mockOf(), session, {}, async (response) => {
    const headers = new Headers(response.headers);
    headers.set("x-request-cost", "1");
    if (response.status === 404) return Response.json({ error: "none" }, { status: 404, headers });
    if (response.status === 429) return new Response("slow down", { status: 420, headers });
    return new Response(response.body, { status: response.status, headers });
  });
  const texts = drift.map(({ rule, what }) => `${rule}: ${what.replace(/^.*?: /, "")}`);
  expect(texts).toContain("poll.404.unknown-job: detail is missing");
  expect(texts).toContain("poll.404.unknown-job: error is new");
  expect(texts).toContain("errors.429.rate-limited: status 420 instead of 429");
  expect(texts).toContain("account.request-and-answer: header x-request-cost is new");
});

test("only reads are sent without permission for others", async () => {
  const session = await record(["repeats", "lists"]);
  const mock = mockOf();
  const { compared, notCompared, drift } = await replayOn(mock, session, { paid: false });
  const methods = mock.journal.entries().map(({ method }) => method);
  expect(new Set(methods)).toEqual(new Set(["GET"]));
  expect(compared).toBeGreaterThan(2);
  expect(drift).toEqual([]);
  expect(notCompared.map(({ reason }) => reason)).toEqual([
    "Only reads are sent without --level paid",
    "A job is not part of the replay",
    "A cursor is not part of the replay",
  ]);
});

test("reads of the recorded deployment itself are compared, with the jobs that it still has", async () => {
  const mock = mockOf();
  const replayReads = async (keepIds: boolean) => {
    const traffic = new Traffic(mock, { keepIds });
    const options = { key: mock.keys.test };
    await traffic.finish({}, options);
    await traffic.get("/api/v1/account", options);
    const keys = { test: tokenKey(mock.keys.test) };
    return replayOn(withoutControl(mock), sessionOf(traffic.exchanges), { paid: false, keys });
  };
  const result = await replayReads(true);
  // The job was running at the first poll, and has ended since.
  const reason = "A job had ended in only one of the recording and the replay";
  expect(result).toMatchObject({ compared: 2, drift: [] });
  expect(result.notCompared).toContainEqual({ reason, count: 1 });
  const without = await replayReads(false);
  expect(without).toMatchObject({ compared: 1, drift: [] });
  expect(without.notCompared).toContainEqual({
    reason: "A job is not part of the replay",
    count: 2,
  });
});

describe("a webhook_url", () => {
  const hook = "https://shop.example/hook";

  async function sentHooks(change: (exchange: Exchange) => Exchange, fields: Body = {}) {
    const traffic = new Traffic(mockOf());
    await traffic.submit({ webhook_url: hook, ...fields });
    const session = sessionOf(traffic.exchanges.map(change));
    const sent: unknown[] = [];
    await replayOn(mockOf(), session, {}, async (response, request) => {
      if (isSubmission(request)) sent.push(request.clone());
      return response;
    });
    const bodies = await Promise.all(sent.map(async (request) => (request as Request).json()));
    expect(bodies).toHaveLength(1);
    return bodies.map((body) => (body as Body)["webhook_url"]);
  }
  const writtenOut = (exchange: Exchange): Exchange => ({
    ...exchange,
    request: {
      ...exchange.request,
      body: { ...Object(exchange.request.body), webhook_url: hook } as unknown,
    },
  });

  const withoutResponse = (exchange: Exchange): Exchange => {
    const { response: _, ...lost } = writtenOut(exchange);
    return lost;
  };

  test("is not sent again", async () => {
    expect(await sentHooks((exchange) => exchange)).toEqual([undefined]);
  });

  test("of a refused submission has no receiver", async () => {
    expect(await sentHooks((exchange) => exchange, { seed: -1 })).toEqual([
      expect.stringMatching(/^https:\/\/recorded\.example\/url-[\da-f]{12}$/),
    ]);
  });

  test.each<[string, Body, (exchange: Exchange) => Exchange]>([
    ["an accepted submission", {}, writtenOut],
    ["a refused submission", { seed: -1 }, writtenOut],
    ["one without a response", {}, withoutResponse],
  ])("that the session has in clear is not sent with %s", async (_, fields, change) => {
    expect(await sentHooks(change, fields)).toEqual([undefined]);
  });
});

describe("at a deployment without a control API", () => {
  test("a replay maps ids and keys, and waits for the end of jobs and of a rate limit", async () => {
    const session = await record(["repeats", "lists"]);
    const mock = mockOf();
    mock.faults.add({ on: "GET /api/v1/tryon/:id", times: 1, status: 429, retryAfter: 30 });
    const result = await replayOn(withoutControl(mock), session, {
      keys: { live: tokenKey(mock.keys.live) },
      allowLive: true,
      maxCredits: 200,
      sleep: (milliseconds) => mock.clock.advance(milliseconds),
    });
    expect(result.drift).toEqual([]);
    expect(result.compared).toBe(session.length);
  });

  test("a live key is refused without permission, before any request with it", async () => {
    const session = await record(["repeats"]);
    const mock = mockOf();
    const keys = { live: tokenKey(mock.keys.live) };
    await expect(replayOn(withoutControl(mock), session, { keys })).rejects.toThrow("--allow-live");
    expect(mock.journal.entries().filter(({ apiKey }) => apiKey !== null)).toEqual([]);
  });

  test.each([0, 20, 43])("a replay spends at most %i credits", async (maxCredits) => {
    const session = await record(["manyJobs", "queue", "lists", "repeats"]);
    const mock = mockOf();
    const keys = { live: tokenKey(mock.keys.live), test: tokenKey(mock.keys.test) };
    const sleep = (milliseconds: number) => mock.clock.advance(milliseconds);
    const options = { keys, allowLive: true, maxCredits, sleep };
    const { notCompared } = await replayOn(withoutControl(mock), session, options);
    const ledger = await mock.ledger(mock.keys.live);
    const spent = 1_000 - (ledger?.balance ?? 0);
    expect(spent).toBeLessThanOrEqual(maxCredits);
    // Each try-on is reserved at the price of the largest size.
    expect(spent > 0).toBe(maxCredits >= 20);
    expect(notCompared).toContainEqual({
      reason: "A live key, or --max-credits",
      count: expect.any(Number) as number,
    });
  });

  test("URLs of images need a URL that the deployment can fetch", async () => {
    const mock = mockOf();
    const traffic = new Traffic(mock);
    const { test: key } = mock.keys;
    const urls = { person_url: "https://shop.example/me.jpg", person_image_b64: null };
    await traffic.submit(urls, { key });
    const session = sessionOf(traffic.exchanges);
    const target = withoutControl(mockOf());
    const keys = { test: tokenKey(key) };
    const without = await replayOn(target, session, { keys });
    expect(without.notCompared).toEqual([{ reason: "URLs need --image-url", count: 1 }]);
    const given = await replayOn(target, session, { keys, imageUrl: "https://shop.example/x.png" });
    expect(given).toMatchObject({ compared: 1, drift: [] });
  });
});

test("a request without a recorded response gives context, and is not compared", async () => {
  const mock = mockOf();
  const traffic = new Traffic(mock);
  const options = { "idempotency-key": "order-1" };
  await traffic.submit({}, options);
  await traffic.submit({}, options);
  const session = sessionOf(traffic.exchanges).map(({ exchange, place }, index) => {
    const { response: _, ...lost } = exchange;
    return { exchange: index === 0 ? { ...lost, error: "ECONNRESET" } : exchange, place };
  });
  const result = await replayOn(mockOf(), session);
  expect(result.drift).toEqual([]);
  expect(result.notCompared).toEqual([
    { reason: "The recording has no complete response", count: 1 },
  ]);
});

test("no report has a key, and each says what has changed", async () => {
  const session = await record(scenarioNames);
  const mock = mockOf({ options: { timeFormat: "naive" } });
  const result = await replayOn(mock, session);
  for (const form of ["text", "json", "junit", "html"] as const) {
    const report = formatReplay(result, form);
    expect(report).toContain("job.completed-at.form");
    expect(report).toContain("times have no zone");
    expect(report).not.toMatch(/svc_|whsec_|spt_/);
  }
  const nothing = { ...result, compared: 0, drift: [] };
  expect(formatReplay(nothing, "text")).toContain("Nothing was compared");
});

function read(bytes: Uint8Array): Marker {
  const recorder = new BytesRecorder();
  recorder.write(bytes);
  return recorder.end();
}

test.each(["png", "jpeg", "webp", "gif", "heic", "bytes"] as const)(
  "an image of the kind %s has the recorded kind and length, and differs by its digest",
  (kind) => {
    for (const length of [400, 5_000]) {
      const image = regenerate(kind, length, "a");
      expect(read(image)).toMatchObject({ kind, bytes: length });
      expect(regenerate(kind, length, "a")).toEqual(image);
      expect(regenerate(kind, length, "b")).not.toEqual(image);
    }
  },
);
