import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { FaultInput } from "./fault.ts";

const on = "POST /api/v1/tryon";

function refusal(fault: unknown): unknown {
  const { faults } = createMock({ clock: "manual" });
  try {
    // Whatever a caller without types may hand over.
    faults.add(fault as FaultInput);
  } catch (error) {
    return faults.list().length === 0 ? error : "It was taken all the same.";
  }
  return "It was taken.";
}

describe("a field of a fault that cannot be", () => {
  test.each<[unknown, typeof TypeError, string]>([
    [null, TypeError, "A fault is an object"],
    [{ status: 503 }, TypeError, "on has to be a text; got undefined"],
    [{ on: 7, status: 503 }, TypeError, "on has to be a text"],
    [{ on: "", status: 503 }, RangeError, 'on: "" is not a method and a path'],
    [{ on: "/api", status: 503 }, RangeError, "is not a method and a path"],
    [{ on: "FETCH /api", status: 503 }, RangeError, "GET, HEAD, POST"],
    [{ on: "post /api", status: 503 }, RangeError, "no method that there is"],
    [{ on: "GET api", status: 503 }, RangeError, "does not begin with a slash"],
    [{ on: "GET /api?x=1", status: 503 }, RangeError, "leave it out"],
    [{ on: "GET  /api", status: 503 }, RangeError, 'Write "webhook"'],
    [{ on, staus: 503 }, TypeError, 'A fault has no "staus"; it has on, times'],
    [{ on, status: 199 }, RangeError, "status has to be a whole number from 200 to 599; got 199"],
    [{ on, status: 600 }, RangeError, "status has"],
    [{ on, status: "503" }, TypeError, "status has"],
    [{ on, status: 503, times: 0 }, RangeError, "times has to be a whole number from 1 up"],
    [{ on, status: 503, times: 1.5 }, RangeError, "times has"],
    [{ on, status: 503, after: -1 }, RangeError, "after has to be a whole number from 0 up"],
    [{ on, status: 503, probability: 0 }, RangeError, "above 0 up to 1; got 0"],
    [{ on, status: 503, probability: 1.1 }, RangeError, "probability"],
    [{ on, status: 503, probability: "1" }, TypeError, "probability"],
    [{ on, status: 503, headers: [] }, TypeError, "headers has to be an object of texts"],
    [{ on, status: 503, headers: { a: 1 } }, TypeError, "headers.a has to be a text"],
    [{ on, status: 503, headers: { "a b": "1" } }, TypeError, "no header that HTTP can carry"],
    [{ on, status: 503, headers: { "Content-Length": "1" } }, RangeError, "use truncateAt"],
    [{ on, status: 503, html: "yes" }, TypeError, "html has to be true or false"],
    [{ on, status: 503, body: () => 1 }, TypeError, "body has to be a text"],
    [{ on, status: 503, times: Number.NaN }, RangeError, "from 1 up; got NaN"],
    [
      { on, status: () => 503 },
      TypeError,
      "status has to be a whole number from 200 to 599; got f",
    ],
    [{ on, status: 503, retryAfter: -1 }, RangeError, "retryAfter has to be a whole number"],
    [{ on, status: 503, retryAfter: "\n\u0000" }, TypeError, "no header that HTTP can carry"],
    [{ on, latency: "3 s" }, RangeError, "latency: A duration is"],
    [{ on, latency: true }, TypeError, "latency has to be a number of milliseconds"],
    [{ on, latency: { median: "1s" } }, TypeError, "latency.p95 has to be"],
    [{ on, latency: { median: 0, p95: 1 } }, RangeError, "latency.median has to be above 0"],
    [{ on, latency: { median: 2, p95: 1 } }, RangeError, "latency.p95 has to be the median"],
    [{ on, latency: { median: 1, p95: 2, p99: 3 } }, TypeError, 'latency has no "p99"'],
    [{ on, reset: "during" }, RangeError, 'reset has to be "before"'],
    [{ on, truncateAt: -1 }, RangeError, "truncateAt has to be a whole number from 0 up"],
    [{ on, cutAfter: -1 }, RangeError, "cutAfter: A duration"],
    [{ on: "webhook", drop: false }, RangeError, "drop has to be true"],
  ])("is refused with its name, its bound and the way out: %j", (fault, kind, text) => {
    const error = refusal(fault);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toContain(text);
  });
});

test("a body that JSON cannot write is refused", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const body of [1n, circle, [1n]]) {
    expect(String(refusal({ on, status: 503, body }))).toContain("body has to be a text");
  }
});

describe("fields of a fault that contradict each other", () => {
  test.each<[unknown, string]>([
    [{ on }, "does nothing"],
    [{ on, latency: 0 }, "does nothing"],
    [{ on, reset: "before", status: 503 }, "reset and status contradict"],
    [{ on, reset: "after", truncateAt: 5 }, "reset and truncateAt contradict"],
    [{ on, reset: "after", cutAfter: "1s" }, "reset and cutAfter contradict"],
    [{ on, cutAfter: "1s", truncateAt: 5 }, "cutAfter and truncateAt contradict"],
    [{ on, cutAfter: "1s", latency: "1s" }, "cutAfter and latency contradict"],
    [{ on, cutAfter: "1s", html: false }, "a proxy knows no JSON"],
    [{ on: "webhook", drop: true, reset: "after" }, "drop and reset contradict"],
    [{ on, drop: true }, 'use it with on: "webhook"'],
    [{ on: "webhook", status: 503 }, "status is not for webhooks"],
    [{ on: "webhook", latency: 0 }, "does nothing"],
    [{ on: "webhook", latency: 5, truncateAt: 5 }, "truncateAt is not for webhooks"],
    [{ on: "webhook", cutAfter: "5s" }, "cutAfter is not for webhooks"],
    [{ on, latency: 5, retryAfter: 1 }, "retryAfter belongs to an answer"],
    [{ on, reset: "before", body: "x" }, "body belongs to an answer"],
    [{ on, status: 204, body: "x" }, "body cannot be: an answer with status 204 has no body"],
    [{ on, status: 304, truncateAt: 1 }, "truncateAt cannot be"],
    [{ on, status: 503, html: true, body: {} }, "html and a body that is not a text"],
    [{ on, status: 503, retryAfter: 1, headers: { "Retry-After": "2" } }, "both set Retry-After"],
  ])("are refused: %j", (fault, text) => {
    const error = refusal(fault);
    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain(text);
  });
});

describe("a fault that was taken", () => {
  test("does not change with what it was made from, nor with what the list says", () => {
    const { faults } = createMock({ clock: "manual" });
    const headers = { "x-a": "1" };
    faults.add({ on, status: 503, headers });
    headers["x-a"] = "2";
    const [listed] = faults.list();
    expect(listed).toEqual({
      id: "fault_1",
      met: 0,
      struck: 0,
      on,
      status: 503,
      headers: { "x-a": "1" },
    });
    Object.assign(listed?.headers ?? {}, { "x-a": "3" });
    expect(faults.list()).toMatchObject([{ headers: { "x-a": "1" } }]);
  });

  test("may leave fields undefined", () => {
    const { faults } = createMock({ clock: "manual" });
    expect(faults.add({ on, status: 503, times: undefined, body: undefined }).id).toBe("fault_1");
  });
});

describe("a face that cannot show every fault", () => {
  test("refuses what it cannot show, whichever comes first", () => {
    const { faults } = createMock({ clock: "manual" });
    const { id } = faults.add({ on, truncateAt: 5 });
    expect(() => faults.limitTo("msw")).toThrow("truncateAt cannot be shown through msw");
    faults.remove(id);
    faults.limitTo("msw");
    expect(() => faults.add({ on, truncateAt: 5 })).toThrow("Call mock.fetch, or serve the mock");
    expect(faults.add({ on, reset: "before" }).id).toBe("fault_2");
  });
});
