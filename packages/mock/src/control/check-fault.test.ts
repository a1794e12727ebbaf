import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import type { FaultInput } from "./fault.ts";

const on = "POST /api/v1/tryon";

function addError(fault: unknown): unknown {
  const { faults } = createMock({ clock: "manual" });
  try {
    // Callers without types may pass anything.
    faults.add(fault as FaultInput);
  } catch (error) {
    return faults.list().length === 0 ? error : "The fault was added.";
  }
  return "The fault is valid.";
}

const circle: Record<string, unknown> = {};
circle["self"] = circle;

describe("an invalid fault", () => {
  test.each<[unknown, string]>([
    [null, "The argument must be an object; got null"],
    [{ status: 503 }, "on must be a text; got undefined"],
    [{ on: "", status: 503 }, 'on "" is not a method and a path'],
    [{ on: "FETCH /api", status: 503 }, "GET, HEAD, POST"],
    [{ on: "post /api", status: 503 }, "has an unknown method"],
    [{ on: "GET api", status: 503 }, "does not begin with a slash"],
    [{ on: "GET /api?x=1", status: 503 }, "leave it out"],
    [{ on: "GET  /api", status: 503 }, 'Write "webhook"'],
    [{ on, status: 199 }, "status must be a whole number from 200 to 599; got 199"],
    [{ on, status: () => 503 }, "from 200 to 599; got function"],
    [{ on, status: 503, probability: "1" }, "probability"],
    [{ on, status: 503, headers: [] }, "headers must be an object of texts"],
    [{ on, status: 503, headers: { a: 1 } }, "headers.a must be a text; got 1"],
    [{ on, status: 503, headers: { "a b": "1" } }, "not a header that HTTP can carry"],
    [{ on, status: 503, headers: { "Content-Length": "1" } }, "Use truncateAt"],
    [{ on, status: 503, retryAfter: -1 }, "retryAfter must be a whole number"],
    [{ on, status: 503, retryAfter: "\n\u0000" }, "retryAfter must be a whole"],
    [{ on, latency: "3 s" }, "latency must be a number of milliseconds"],
    [{ on, latency: true }, "latency must be a number of milliseconds"],
    [{ on, latency: { median: "1s" } }, "{ median, p95 } of two such times"],
    [{ on, latency: { median: 0, p95: 1 } }, "latency.median must be above 0"],
    [{ on, latency: { median: 2, p95: 1 } }, "latency.p95 must be the median"],
    [{ on, latency: { median: 1, p95: 2, p99: 3 } }, "{ median, p95 } of two"],
    [{ on, reset: "during" }, 'reset must be "before"'],
    [{ on, truncateAt: -1 }, "truncateAt must be a whole number from 0 up"],
    [{ on, cutAfter: -1 }, "cutAfter must be a number of milliseconds"],
    [{ on: "webhook", drop: false }, "drop must be true"],
    [{ on }, "has no effect. Add status,"],
    [{ on, latency: 0 }, "has no effect. Add status,"],
    [{ on, reset: "before", status: 503 }, "reset and status contradict"],
    [{ on, reset: "after", truncateAt: 5 }, "reset and truncateAt contradict"],
    [{ on, reset: "after", cutAfter: "1s" }, "reset and cutAfter contradict"],
    [{ on, cutAfter: "1s", truncateAt: 5 }, "cutAfter and truncateAt contradict"],
    [{ on, cutAfter: "1s", latency: "1s" }, "cutAfter and latency contradict"],
    [{ on, cutAfter: "1s", html: false }, "a proxy sends no JSON"],
    [{ on: "webhook", drop: true, reset: "after" }, "drop and reset contradict"],
    [{ on, drop: true }, 'Use it with on: "webhook"'],
    [{ on: "webhook", status: 503 }, "status is not for webhooks"],
    [{ on: "webhook", latency: 5, truncateAt: 5 }, "truncateAt is not for webhooks"],
    [{ on: "webhook", cutAfter: "5s" }, "cutAfter is not for webhooks"],
    [{ on, latency: 5, retryAfter: 1 }, "retryAfter belongs to a response"],
    [{ on, reset: "before", body: "x" }, "body belongs to a response"],
    [{ on, status: 204, body: "x" }, "body must be left out: a response with status"],
    [{ on, status: 304, truncateAt: 1 }, "truncateAt must be left out"],
    [{ on, status: 503, html: true, body: {} }, "html and a body that is not a text"],
    [{ on, status: 503, retryAfter: 1, headers: { "Retry-After": "2" } }, "both set"],
  ])("%j has an error with the field, its limit and the fix", (fault, text) => {
    const error = addError(fault);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(text);
  });

  test.each([() => 1, 1n, circle, [1n]])(
    "has an error for a body that JSON cannot write",
    (body) => {
      expect(String(addError({ on, status: 503, body }))).toContain("body must be a text");
    },
  );
});

test("a fault does not change with its input or with the list", () => {
  const { faults } = createMock({ clock: "manual" });
  const headers = { "x-a": "1" };
  faults.add({ on, status: 503, headers, times: undefined, body: undefined });
  headers["x-a"] = "2";
  const [listed] = faults.list();
  const fault = { on, status: 503, headers: { "x-a": "1" } };
  expect(listed).toEqual({ id: "fault_1", matched: 0, applied: 0, ...fault });
  Object.assign(listed?.headers ?? {}, { "x-a": "3" });
  expect(faults.list()).toMatchObject([fault]);
});

describe("transports", () => {
  test("msw rejects what it cannot produce, before and after the limit", () => {
    const { faults } = createMock({ clock: "manual" });
    const { id } = faults.add({ on, truncateAt: 5 });
    expect(() => faults.limitTo("msw")).toThrow("truncateAt is not available through msw");
    faults.remove(id);
    faults.limitTo("msw");
    expect(() => faults.add({ on, truncateAt: 5 })).toThrow("Call mock.fetch, or serve the mock");
    expect(faults.add({ on, reset: "before" }).id).toBe("fault_2");
  });

  test("have the faults of the table in the docs", async () => {
    const effects: Readonly<Record<string, FaultInput>> = {
      status: { on, status: 503 },
      latency: { on, latency: 1 },
      reset: { on, reset: "before" },
      truncateAt: { on, truncateAt: 1 },
      cutAfter: { on, cutAfter: 1 },
      gateway: { on, gateway: "nginx-504-page" },
      drop: { on: "webhook", drop: true },
      "webhook reset": { on: "webhook", reset: "after" },
    };
    const page = await readFile(join(root, "docs/guides/fault-injection.md"), "utf8");
    const [, table = ""] = page.split("## Faults by transport");
    const documented = [...table.matchAll(/^\| `([\w ]+)` +\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm)].map(
      ([, effect, ...transports]) => [effect, ...transports.map((text) => text.trim() !== "no")],
    );
    const { faults } = createMock({ clock: "manual" });
    faults.limitTo("msw");
    const actual = Object.entries(effects).map(([effect, input]) => {
      const isAdded = typeof addError(input) === "string";
      const before = faults.list().length;
      try {
        faults.add(input);
      } catch {
        // Counted below.
      }
      return [effect, isAdded, isAdded, faults.list().length > before];
    });
    expect(documented).toEqual(actual);
  });
});
