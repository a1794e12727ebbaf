import { createMock, optionTable, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { tenth } from "@tryon/test-kit/cases";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { controlToken, withoutControl } from "../../test/served.ts";
import { observe, recordScenes, sceneNames, sessionOf, Traffic } from "../../test/traffic.ts";
import type { Recorded } from "../observe/session-file.ts";
import type { Exchange, Marker } from "../record/exchange.ts";
import { BytesRecorder } from "../record/content-recorder.ts";
import { formatReplay } from "./replay-report.ts";
import { regenerate } from "./regenerate-image.ts";
import { replay, type ReplayOptions, type ReplayResult } from "./replay.ts";

const opened: Mock[] = [];
afterEach(() => opened.splice(0).forEach((mock) => mock.close()));

function mockOf(options: MockOptions = {}): Mock {
  const mock = createMock({ clock: "manual", ...options });
  opened.push(mock);
  return mock;
}

async function record(names: readonly string[], options: MockOptions = {}) {
  return (await recordScenes(names, { concurrency: 1, ...options })).session;
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

function deployment(mock = mockOf()): Mock {
  return { ...mock, fetch: withoutControl(mock.fetch) };
}

function tokenKey(token: string) {
  const kind = token.startsWith("svc_test_") ? ("test" as const) : ("live" as const);
  return { token, kind, webhookSecret: undefined, accountId: undefined };
}

describe.each(["default", "alternate"] as const)("under the profile %s", (profile) => {
  let session: readonly Recorded[];
  let shown: Readonly<Record<string, unknown>>;
  beforeAll(async () => {
    session = await record(sceneNames, { profile });
    ({ shown } = observe(session));
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
      const [before, after] = [shown[id], observe(await record(sceneNames, changed)).shown[id]];
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
const isAccount = ({ url }: Request): boolean => url.endsWith("/account");

function editing(isEdited: (request: Request) => boolean, edit: (body: Body) => unknown) {
  return async (response: Response, request: Request): Promise<Response> => {
    if (!isEdited(request)) return response;
    const body = (await response.json()) as Body;
    edit(body);
    return Response.json(body, { status: response.status, headers: response.headers });
  };
}

type Send = (traffic: Traffic) => Promise<unknown>;

async function recordedBy(send: Send): Promise<readonly Recorded[]> {
  const traffic = new Traffic(mockOf());
  await send(traffic);
  return sessionOf(traffic.exchanges);
}

const plain: Send = (traffic) => traffic.finish();
const withTestKey: Send = (traffic) => traffic.finish({}, { key: traffic.mock.keys.test });
const sized =
  (size: string): Send =>
  (traffic) =>
    traffic.finish({ output_size: size });
// Sessions have only the lengths of metadata.
const echoed: Send = (traffic) => traffic.finish({ seed: 7, metadata: { order: "A-1001" } });
const refused: Send = (traffic) => traffic.submit({ seed: -1 });
const account: Send = (traffic) => traffic.get("/api/v1/account");

function problems(fields: Body) {
  return ({ detail }: Body) => (detail as Body[]).forEach((one) => Object.assign(one, fields));
}

test.each<[string, Send, typeof isPoll, Body | ((body: Body) => unknown)]>([
  ["poll.request-and-answer: duration_ms is missing", echoed, isPoll, { duration_ms: undefined }],
  ["poll.request-and-answer: brand is new", echoed, isPoll, { brand: 1 }],
  [
    "poll.request-and-answer: cost_credits is of type string instead of number",
    echoed,
    isPoll,
    { cost_credits: "8" },
  ],
  [
    "validation-error.type.string: detail of body.seed has the type range_error instead of greater_than_equal",
    refused,
    isSubmission,
    problems({ type: "range_error" }),
  ],
  [
    "validation-error.loc.path: detail lacks body.seed (greater_than_equal); validation-error.loc.path: detail has body.a (greater_than_equal)",
    refused,
    isSubmission,
    problems({ loc: ["body", "a"] }),
  ],
  ["", refused, isSubmission, problems({ msg: "Too small" })],
  ["sizes.2k.cost: cost_credits is 13 instead of 12", sized("2K"), isPoll, { cost_credits: 13 }],
  [
    "sizes.4k.cost: cost_credits is 13 instead of 20",
    sized("4K"),
    isSubmission,
    { cost_credits: 13 },
  ],
  ["test-key.free: cost_credits is 13 instead of 0", withTestKey, isPoll, { cost_credits: 13 }],
  [
    "account.tryon-cost-credits.costs: tryon_cost_credits.1K is 9 instead of 8",
    account,
    isAccount,
    { tryon_cost_credits: { "1K": 9, "2K": 12, "4K": 20 } },
  ],
  ["job.seed.used: seed is not as submitted", echoed, isPoll, { seed: 8 }],
  ["job.seed.used: seed is not as submitted", echoed, isPoll, { seed: null }],
  [
    "job.metadata.echo: metadata is not as submitted",
    echoed,
    isPoll,
    { metadata: { order: "B-1002" } },
  ],
  ["job.metadata.echo: metadata is not as submitted", echoed, isPoll, { metadata: null }],
  [
    "sizes.resolution.pixels: the result has 101376 pixels instead of 786432",
    echoed,
    isPoll,
    (body) => body["result_width"] && (body["result_width"] = 99),
  ],
  [
    "sizes.resolution.pixels: the result has 0 pixels instead of 786432",
    echoed,
    isPoll,
    { result_height: null },
  ],
  [
    "submit-response.seed.used: seed is not as submitted; submit-response.metadata.echo: metadata is not as submitted",
    echoed,
    isSubmission,
    { seed: 8, metadata: {} },
  ],
])("an edited response is this drift: %s", async (expected, send, isEdited, edit) => {
  const session = await recordedBy(send);
  expect((await replayOn(mockOf(), session)).drift).toEqual([]);
  const change = typeof edit === "function" ? edit : (body: Body) => Object.assign(body, edit);
  const { drift } = await replayOn(mockOf(), session, {}, editing(isEdited, change));
  const texts = drift.map(({ rule, what }) => `${rule}: ${what.replace(/^.*?: /, "")}`);
  expect(texts.join("; ")).toBe(expected);
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
    const { drift, compared } = await replayOn(mockOf(), await recordedBy(plain), {}, failing);
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
    const session = await recordedBy(isTest ? withTestKey : plain);
    const result = await replayOn(deployment(mock), session, options, failing);
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
      await recordedBy(plain),
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
  expect(observe(session).shown["concurrentTwin"]).toBe("join");
  expect(observe(reversed).shown["concurrentTwin"]).toBe("join");
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
    return replayOn(deployment(mock), sessionOf(traffic.exchanges), { paid: false, keys });
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

const hook = "https://shop.example/hook";
const asRecorded = (exchange: Exchange): Exchange => exchange;
const inClear = ({ request, ...rest }: Exchange): Exchange => ({
  ...rest,
  request: { ...request, body: { ...Object(request.body), webhook_url: hook } as unknown },
});
const withoutResponse = (exchange: Exchange): Exchange => {
  const { response: _, ...lost } = inClear(exchange);
  return lost;
};
const withoutReceiver = expect.stringMatching(/^https:\/\/recorded\.example\/url-[\da-f]{12}$/);

test.each<[string, Body, (exchange: Exchange) => Exchange, unknown]>([
  ["an accepted submission is not sent again", {}, asRecorded, undefined],
  ["a refused submission has no receiver", { seed: -1 }, asRecorded, withoutReceiver],
  ["an accepted submission in clear is not sent", {}, inClear, undefined],
  ["a refused submission in clear is not sent", { seed: -1 }, inClear, undefined],
  ["one without a response in clear is not sent", {}, withoutResponse, undefined],
])("the webhook_url of %s", async (_, fields, change, expected) => {
  const traffic = new Traffic(mockOf());
  await traffic.submit({ webhook_url: hook, ...fields });
  const sent: Request[] = [];
  await replayOn(
    mockOf(),
    sessionOf(traffic.exchanges.map(change)),
    {},
    async (response, request) => {
      if (isSubmission(request)) sent.push(request.clone());
      return response;
    },
  );
  expect(sent).toHaveLength(1);
  const body = (await sent[0]?.json()) as Body;
  expect(body["webhook_url"]).toEqual(expected);
});

describe("at a deployment without a control API", () => {
  test("a replay maps ids and keys, and waits for the end of jobs and of a rate limit", async () => {
    const session = await record(["repeats", "lists"]);
    const mock = mockOf();
    mock.faults.add({ on: "GET /api/v1/tryon/:id", times: 1, status: 429, retryAfter: 30 });
    const result = await replayOn(deployment(mock), session, {
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
    await expect(replayOn(deployment(mock), session, { keys })).rejects.toThrow("--allow-live");
    expect(mock.journal.entries().filter(({ apiKey }) => apiKey !== null)).toEqual([]);
  });

  test.each([0, 20, 43])("a replay spends at most %i credits", async (maxCredits) => {
    const session = await record(["manyJobs", "queue", "lists", "repeats"]);
    const mock = mockOf();
    const keys = { live: tokenKey(mock.keys.live), test: tokenKey(mock.keys.test) };
    const sleep = (milliseconds: number) => mock.clock.advance(milliseconds);
    const options = { keys, allowLive: true, maxCredits, sleep };
    const { notCompared } = await replayOn(deployment(mock), session, options);
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
    const target = deployment();
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
  const session = await record(sceneNames);
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
