import { describe, expect, test } from "vitest";

import { createMock, type Mock } from "./mock.ts";
import { handlers } from "./msw/index.ts";
import { nodeNetwork, serve } from "./node/index.ts";
import { controls } from "../test/controls.ts";

type Use = (mock: Mock, input: object) => unknown;

const create: Use = (_mock, input) => createMock(input);
const addFault: Use = ({ faults }, input) => faults.add({ on: "* *", status: 503, ...input });
const filter: Use = ({ journal }, input) => journal.entries(input);
const waitFor: Use = ({ journal }, input) => journal.waitFor("GET /", input);

/** Callers in JavaScript, and spread objects, can have names that the compiler does not see. */
describe("an unknown name is rejected with the known ones and the likely one:", () => {
  test.each<[string, Use, object, string, string]>([
    ["createMock", create, { latancy: 0 }, "an option of createMock", "latency"],
    ["createMock", create, { baseURL: "" }, "an option of createMock", "baseUrl"],
    ["createMock", create, { Seed: 1 }, "an option of createMock", "seed"],
    ["options", create, { options: { refnd: "none" } }, "an option of the service", "refund"],
    [
      "profile",
      create,
      { profile: { options: {}, unkown: [] } },
      "a field of a profile",
      "unknown",
    ],
    ["serve", serve, { prot: 1 }, "an option of serve", "port"],
    ["limits", serve, { limits: { headerTimeout: 1 } }, "a limit of serve", "headersTimeout"],
    ["handlers", handlers, { baseURL: "" }, "an option of handlers", "baseUrl"],
    [
      "nodeNetwork",
      (_mock, input) => nodeNetwork(input),
      { resolver: 1 },
      "an option of nodeNetwork",
      "resolve",
    ],
    ["faults.add", addFault, { retry_after: 2 }, "a field of a fault", "retryAfter"],
    [
      "nextJob",
      (mock, job) => mock.nextJob(job),
      { outcom: "" },
      "a field of a next job",
      "outcome",
    ],
    ["createKey", (mock, key) => mock.createKey(key), { credit: 1 }, "a field of a key", "credits"],
    [
      "tenant",
      (mock, key) => mock.tenant(key),
      { rateLimit: 1 },
      "a field of a key",
      "rateLimitPerMinute",
    ],
    ["journal.entries", filter, { apikey: "" }, "a field of the filter", "apiKey"],
    ["journal.waitFor", waitFor, { cuont: 2 }, "an option of waitFor", "count"],
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
