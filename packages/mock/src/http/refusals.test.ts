import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import type { MockOptions } from "../mock.ts";
import { caller, manualServer, type Caller, type ClientResponse } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { endpoints } from "../../test/endpoints.ts";

type Send = (call: Caller) => Promise<ClientResponse<unknown>>;

/** A request that the server refuses, and its key. */
interface Refusal {
  readonly status: number;
  readonly send: Send;
  /** Prepares the server and returns the key. */
  readonly setUp?: (server: ReturnType<typeof manualServer>) => Promise<string>;
  readonly hasKey?: false;
  readonly input?: MockOptions;
}

const submit: Send = (call) => call.submit();
const declined = { pack_slug: "demo", shared_payment_granted_token: "spt_declined_1" };
const idempotencyKey = { "idempotency-key": "order-1" };
const engine = { ...stockEngine(), prepare: () => Promise.reject(new Error("down")) };

const refusals: readonly Refusal[] = [
  { status: 400, send: (call) => call.submit({ person_url: null }) },
  { status: 401, send: submit, hasKey: false },
  { status: 402, send: submit, setUp: async ({ mock }) => mock.keys.empty },
  { status: 402, send: (call) => call.purchase(declined) },
  { status: 403, send: submit, setUp: async ({ mock }) => mock.keys.disabled },
  { status: 404, send: (call) => call.poll("job_none") },
  { status: 405, send: (call) => call.call("/api/v1/tryon", { method: "PUT" }) },
  {
    status: 409,
    send: (call) => call.submit({ seed: 2 }, idempotencyKey),
    setUp: async ({ mock, call }) => {
      await call.submit({ seed: 1 }, idempotencyKey);
      return mock.keys.live;
    },
  },
  { status: 422, send: (call) => call.submit({ seed: -1 }) },
  {
    status: 429,
    send: submit,
    setUp: async ({ mock }) => {
      const { token } = await mock.createKey({ rateLimitPerMinute: 1 });
      await caller(mock, token).account();
      return token;
    },
  },
  { status: 500, send: submit, input: { engine } },
];

test.each(refusals)(
  "a refusal with $status charges nothing and has its reason",
  async ({ status, send, setUp, hasKey, input }) => {
    covers(
      "errors.400.not-charged",
      "errors.401.not-charged",
      "errors.402.not-charged",
      "errors.403.not-charged",
      "errors.404.not-charged",
      "errors.409.not-charged",
      "errors.422.not-charged",
      "errors.429.not-charged",
      "error-response.detail.string",
    );
    const server = manualServer(input);
    const { mock } = server;
    const token = (await setUp?.(server)) ?? mock.keys.live;
    const before = (await mock.ledger(token))?.balance;
    const response = await send(caller(mock, hasKey === false ? null : token));
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    const detail = status === 422 ? response.problems : response.detail;
    expect(response.body).toEqual({ detail });
    expect(JSON.stringify(detail)).toMatch(/\w+ \w+/);
    await mock.clock.advance("1h");
    expect(before).toBeTypeOf("number");
    expect((await mock.ledger(token))?.balance).toBe(before);
  },
);

describe.each(endpoints)("$method $path", ({ method, path }) => {
  test("can respond with 401, 403 and 429", async () => {
    covers("endpoints.statuses.anywhere");
    const { mock } = manualServer();
    const { token } = await mock.createKey({ rateLimitPerMinute: 1 });
    await caller(mock, token).account();
    const statuses = [];
    for (const key of [null, mock.keys.disabled, token]) {
      statuses.push((await caller(mock, key).call(path, { method })).status);
    }
    expect(statuses).toEqual([401, 403, 429]);
  });

  test("responds with 500 and 503 by faults, and as usual afterwards", async () => {
    covers("errors.503.back-off");
    const { mock, call } = manualServer();
    const usual = (await call.call(path, { method })).status;
    for (const status of [500, 503]) mock.faults.add({ on: `${method} ${path}`, times: 1, status });
    for (const status of [500, 503, usual]) {
      const response = await call.call(path, { method });
      expect(response.status).toBe(status);
      if (status === usual) continue;
      expect(response.body).toEqual({ detail: response.detail });
      expect(response.detail).toMatch(/\w+ \w+/);
    }
  });
});
