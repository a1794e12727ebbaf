import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { createMock, type Mock } from "../mock.ts";
import { caller, type ClientResponse } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

/** A server with a request that it refuses, and the key whose credits are at stake. */
interface Refusal {
  readonly mock: Mock;
  readonly token: string;
  readonly refuse: () => Promise<ClientResponse<unknown>>;
}

function withLiveKey(
  refuse: (call: ReturnType<typeof caller>) => Promise<ClientResponse<unknown>>,
) {
  return async (): Promise<Refusal> => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    return { mock, token: mock.keys.live, refuse: () => refuse(call) };
  };
}

async function refusedFor(name: "empty" | "disabled"): Promise<Refusal> {
  const mock = createMock({ clock: "manual" });
  const token = mock.keys[name];
  return { mock, token, refuse: () => caller(mock, token).submit() };
}

const refusals: readonly (readonly [number, () => Promise<Refusal>])[] = [
  [400, withLiveKey((call) => call.submit({ person_url: null }))],
  [
    401,
    async () => {
      const mock = createMock({ clock: "manual" });
      return { mock, token: mock.keys.live, refuse: () => caller(mock, null).submit() };
    },
  ],
  [402, () => refusedFor("empty")],
  [402, withLiveKey((call) => call.purchase(order("spt_declined_1")))],
  [403, () => refusedFor("disabled")],
  [404, withLiveKey((call) => call.poll("job_none"))],
  [405, withLiveKey((call) => call.call("/api/v1/tryon", { method: "PUT" }))],
  [
    409,
    async () => {
      const mock = createMock({ clock: "manual" });
      const call = caller(mock);
      const key = { "idempotency-key": "order-1" };
      await call.submit({ seed: 1 }, key);
      return { mock, token: mock.keys.live, refuse: () => call.submit({ seed: 2 }, key) };
    },
  ],
  [422, withLiveKey((call) => call.submit({ seed: -1 }))],
  [
    429,
    async () => {
      const mock = createMock({ clock: "manual" });
      const { token } = await mock.createKey({ rateLimitPerMinute: 1 });
      const call = caller(mock, token);
      await call.account();
      return { mock, token, refuse: () => call.submit() };
    },
  ],
  [
    500,
    async () => {
      const engine = { ...stockEngine(), prepare: () => Promise.reject(new Error("down")) };
      const mock = createMock({ clock: "manual", engine });
      return { mock, token: mock.keys.live, refuse: () => caller(mock).submit() };
    },
  ],
];

function order(token: string) {
  return { pack_slug: "demo", shared_payment_granted_token: token };
}

describe("a request that is refused", () => {
  test.each(refusals)("with %i takes no credits", async (status, setUp) => {
    covers(
      "errors.400.not-charged",
      "errors.401.not-charged",
      "errors.402.not-charged",
      "errors.403.not-charged",
      "errors.404.not-charged",
      "errors.409.not-charged",
      "errors.422.not-charged",
      "errors.429.not-charged",
      "errors.500.not-charged",
    );
    const { mock, token, refuse } = await setUp();
    const before = (await mock.ledger(token))?.balance;
    expect((await refuse()).status).toBe(status);
    await mock.clock.advance("1h");
    expect(before).toBeTypeOf("number");
    expect((await mock.ledger(token))?.balance).toBe(before);
  });

  test.each(refusals.filter(([status]) => status !== 422))(
    "with %i says why in a sentence",
    async (_status, setUp) => {
      covers("error-response.detail.string", "endpoints.json");
      const { refuse } = await setUp();
      const { headers, body, detail } = await refuse();
      expect(headers.get("content-type")).toBe("application/json");
      expect(body).toEqual({ detail });
      expect(detail).toMatch(/\w+ \w+/);
    },
  );
});

/** Every endpoint, and what to call it with. */
const endpoints = [
  { method: "GET", path: "/api/v1/account" },
  { method: "GET", path: "/api/v1/tryon" },
  { method: "GET", path: "/api/v1/tryon/job_1" },
  { method: "POST", path: "/api/v1/tryon" },
  { method: "POST", path: "/api/v1/credits/purchase" },
] as const;

describe("each endpoint", () => {
  test.each(endpoints)("may answer 401, 403 and 429: $method $path", async ({ method, path }) => {
    covers("endpoints.statuses.anywhere");
    const mock = createMock({ clock: "manual" });
    const { token } = await mock.createKey({ rateLimitPerMinute: 1 });
    await caller(mock, token).account();
    const statuses = [];
    for (const key of [null, mock.keys.disabled, token]) {
      statuses.push((await caller(mock, key).call(path, { method })).status);
    }
    expect(statuses).toEqual([401, 403, 429]);
  });

  test.each(endpoints)(
    "may answer 500 and 503, by faults, and is there again afterwards: $method $path",
    async ({ method, path }) => {
      covers("endpoints.statuses.anywhere", "errors.503.back-off");
      const mock = createMock({ clock: "manual" });
      const call = caller(mock);
      const usual = (await call.call(path, { method })).status;
      for (const status of [500, 503])
        mock.faults.add({ on: `${method} ${path}`, times: 1, status });
      const answers = [];
      for (let time = 0; time < 3; time += 1) answers.push(await call.call(path, { method }));
      expect(answers.map(({ status }) => status)).toEqual([500, 503, usual]);
      for (const { body, detail } of answers.slice(0, 2)) {
        expect(body).toEqual({ detail });
        expect(detail).toMatch(/\w+ \w+/);
      }
    },
  );

  test.each([
    ["GET", "/api/v1/tryon?limit=0", ["query", "limit"]],
    ["GET", "/api/v1/tryon?status_filter=done", ["query", "status_filter"]],
    ["POST", "/api/v1/tryon", ["body"]],
    ["POST", "/api/v1/credits/purchase", ["body"]],
  ] as const)("that takes input may answer 422: %s %s", async (method, path, loc) => {
    covers("endpoints.statuses.anywhere");
    const mock = createMock({ clock: "manual" });
    const refused = await caller(mock).call(path, { method });
    expect(refused.status).toBe(422);
    expect(refused.problems).toMatchObject([{ loc }]);
  });

  test("that submits may answer 422 to a header, too", async () => {
    covers("endpoints.statuses.anywhere");
    const call = caller(createMock({ clock: "manual" }));
    const refused = await call.submit({}, { "idempotency-key": "a".repeat(201) });
    expect(refused.status).toBe(422);
    expect(refused.problems).toMatchObject([{ loc: ["header", "Idempotency-Key"] }]);
  });
});
