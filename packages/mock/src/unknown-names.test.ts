import { describe, expect, test } from "vitest";

import { createMock, type Mock } from "./mock.ts";
import { handlers } from "./msw/index.ts";
import { controls } from "../test/controls.ts";

type Use = (mock: Mock, input: object) => unknown;

const create: Use = (_mock, input) => createMock(input);

/** Callers in JavaScript, and spread objects, can have names that the compiler does not see. */
describe("an unknown name is rejected with the known ones and the likely one:", () => {
  test.each<[string, Use, object, string, string]>([
    ["options", create, { options: { refnd: "none" } }, "an option of the service", "refund"],
    [
      "profile",
      create,
      { profile: { options: {}, unkown: [] } },
      "a field of a profile",
      "unknown",
    ],
    ["handlers", handlers, { baseURL: "" }, "an option of handlers", "baseUrl"],
    [
      "tenant",
      (mock, key) => mock.tenant(key),
      { rateLimit: 1 },
      "a field of a key",
      "rateLimitPerMinute",
    ],
  ])("%s", async (_name, use, input, message, likely) => {
    const mock = createMock();
    const used = async (): Promise<unknown> => use(mock, input);
    await expect(used()).rejects.toThrow(TypeError);
    await expect(used()).rejects.toThrow(` is not ${message}. Did you mean ${likely}?`);
  });

  test.each([
    [
      "POST",
      "faults",
      { on: "* *", staus: 503 },
      "staus is not a field of this request.",
      "status",
    ],
    ["POST", "keys", { credit: 1 }, "credit is not a field of this request.", "credits"],
    ["GET", "journal?methd=GET", {}, "methd is not a query parameter of this request.", "method"],
  ] as const)("%s /__mock/%s", async (method, path, fields, message, likely) => {
    const { fetch, baseUrl } = createMock();
    const { get, post } = controls(fetch, baseUrl);
    const { status, body } = await (method === "GET" ? get(path) : post(path, fields));
    expect(status).toBe(400);
    expect(body["detail"]).toContain(message);
    expect(body["detail"]).toMatch(new RegExp(` Did you mean ${likely}\\?$`));
  });
});
