import { describe, expect, test } from "vitest";

import { failureOf, withFaults } from "../../test/with-faults.ts";
import { requestLine } from "./request-log.ts";

/** Creates a server and the lines of its requests. */
function setUp(format: "pretty" | "json", colors = false) {
  const server = withFaults();
  const { mock } = server;
  const lines: string[] = [];
  const line = requestLine(format, { keys: mock.keys, colors });
  mock.journal.subscribe((entry) => lines.push(line(entry)));
  return { ...server, lines };
}

const asKey = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a pretty line", () => {
  test("has time, method, path, status, duration, key, job and the reason of a refusal", async () => {
    const { mock, submit, submitted, get, lines } = setUp("pretty");
    const jobId = await submitted({}, { "idempotency-key": "a" });
    await submit({}, { "idempotency-key": "a" });
    await mock.clock.advance("1s");
    await get(`/api/v1/tryon/${jobId}`);
    await submit({}, asKey(mock.keys.empty));
    await mock.fetch(`${mock.baseUrl}/api/v1/account?a=1`);
    const created = await mock.createKey();
    await get("/nowhere");
    await submit({ seed: -1 }, asKey(created.token));
    expect(lines).toEqual([
      `00:00:00.000Z  POST /api/v1/tryon            200         0 ms  live     ${jobId}\n`,
      `00:00:00.000Z  POST /api/v1/tryon            200         0 ms  live     ${jobId}  replayed\n`,
      `00:00:01.000Z  GET  /api/v1/tryon/${jobId}  200         0 ms  live\n`,
      "00:00:01.000Z  POST /api/v1/tryon            402         0 ms  empty    submit.402.too-few-credits: Insufficient credits: this try-on costs 8 and the key has 0. Buy a pack or choose a smaller output_size.\n",
      "00:00:01.000Z  GET  /api/v1/account?a=1      401         0 ms  no key   auth.key.missing-401: Missing API key; send the header Authorization: Bearer <API key>.\n",
      "00:00:01.000Z  GET  /nowhere                 404         0 ms  live     Not Found\n",
      `00:00:01.000Z  POST /api/v1/tryon            422         0 ms  svc_live_…${created.token.slice(-4)}  request.seed.range: body.seed: Input should be greater than or equal to 0\n`,
    ]);
  });

  test.each(["pretty", "json"] as const)(
    "does not give access to an image (%s)",
    async (format) => {
      const { mock, lines } = setUp(format);
      await mock.fetch(`${mock.baseUrl}/results/job_1.png?expires=2&signature=9e1cfa&a=1`);
      expect(lines.join("")).toContain("expires=2&signature=…&a=1");
    },
  );

  test("names the faults that applied, also to a broken connection", async () => {
    const { mock, account, lines } = setUp("pretty");
    mock.faults.add({ on: "* *", times: 1, status: 503 });
    mock.faults.add({ on: "* *", times: 1, reset: "before" });
    await account();
    await failureOf(account());
    expect(lines).toEqual([
      "00:00:00.000Z  GET  /api/v1/account          503         0 ms  live     fault_1: Temporarily unavailable; try again later.\n",
      "00:00:00.000Z  GET  /api/v1/account          broken      0 ms  live     fault_2\n",
    ]);
  });

  test("colors the status only, and has no other control characters", async () => {
    const { mock, account, lines } = setUp("pretty", true);
    const body = { detail: "\u001B[31m\u001B[2J\u001B]0;title\u0007\r\nx\u009B1m" };
    mock.faults.add({ on: "* *", times: 1, status: 400, body });
    await account();
    await account();
    mock.faults.add({ on: "* *", status: 500 });
    await account();
    for (const [index, status] of ["[33m400", "[32m200", "[31m500"].entries()) {
      const parts = lines[index]?.split("\u001B");
      expect(parts).toHaveLength(3);
      expect(parts?.[1]).toBe(`${status}   `);
      expect(parts?.[2]?.startsWith("[39m ")).toBe(true);
    }
    expect(lines[0]?.endsWith("fault_1: ·[31m·[2J·]0;title···x·1m\n")).toBe(true);
  });

  test("has at most 160 characters of a reason, and no secrets", async () => {
    const { mock, get, lines } = setUp("pretty");
    const token = "svc_live_0123456789abcdef";
    const body = { detail: `${token} ${"word ".repeat(100)}` };
    mock.faults.add({ on: "* *", status: 400, body });
    await get(`/api/v1/${token}?key=${token}`);
    expect(lines[0]).not.toContain(token);
    expect(lines[0]).toContain("GET  /api/v1/svc_live_…cdef?key=svc_live_…cdef  400");
    expect(lines[0]?.split("fault_1: ")[1]).toMatch(/^svc_live_…cdef word .{140,150}…\n$/);
  });
});

test("a JSON line is an entry of the journal without its submission", async () => {
  const { mock, submit, lines } = setUp("json");
  await submit({ prompt: "a\nb" }, { ...asKey(mock.keys.empty), "idempotency-key": "order-1" });
  expect(lines[0]?.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    request_id: "req_1",
    at: Date.UTC(2026, 0, 1),
    method: "POST",
    path: "/api/v1/tryon",
    query: "",
    api_key: "svc_live_…mpty",
    idempotency_key: "order-1",
    status: 402,
    duration_ms: 0,
    job_id: null,
    replayed: false,
    refusal: {
      rule: "submit.402.too-few-credits",
      detail: expect.stringContaining("Insufficient credits") as unknown,
    },
    fault_ids: [],
  });
});
