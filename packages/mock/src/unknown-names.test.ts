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
    ["createMock", create, { latancy: 0 }, '"latancy"; the options of createMock are', "latency"],
    ["createMock", create, { baseURL: "" }, '"baseURL"; the options of createMock are', "baseUrl"],
    ["createMock", create, { Seed: undefined }, '"Seed"; the options of createMock are', "seed"],
    ["options", create, { options: { refnd: "none" } }, '"refnd"; the options are', "refund"],
    [
      "profile",
      create,
      { profile: { options: {}, unkown: [] } },
      'Unknown field "unkown"; a profile has options,',
      "unknown",
    ],
    ["serve", serve, { prot: 1 }, '"prot"; the options of serve are port,', "port"],
    [
      "limits",
      serve,
      { limits: { headerTimeout: 1 } },
      'Unknown limit "headerTimeout"; the limits are headersTimeout,',
      "headersTimeout",
    ],
    ["handlers", handlers, { baseURL: "" }, '"baseURL"; the options of handlers are', "baseUrl"],
    [
      "nodeNetwork",
      (_mock, input) => nodeNetwork(input),
      { resolver: undefined },
      '"resolver"; the options of nodeNetwork are ca,',
      "resolve",
    ],
    ["faults.add", addFault, { retry_after: 2 }, 'A fault has no "retry_after"', "retryAfter"],
    ["nextJob", (mock, job) => mock.nextJob(job), { outcom: "" }, 'no "outcom"; it has', "outcome"],
    ["createKey", (mock, key) => mock.createKey(key), { credit: 1 }, '"credit"; a key', "credits"],
    ["tenant", (mock, key) => mock.tenant(key), { rateLimit: 1 }, "", "rateLimitPerMinute"],
    ["journal.entries", filter, { apikey: "" }, '"apikey"; the filter has method,', "apiKey"],
    ["journal.waitFor", waitFor, { cuont: 2 }, '"cuont"; the options of waitFor are', "count"],
  ])("%s", async (_name, use, input, message, likely) => {
    const mock = createMock();
    const used = async (): Promise<unknown> => use(mock, input);
    await expect(used()).rejects.toThrow(TypeError);
    await expect(used()).rejects.toThrow(message);
    await expect(used()).rejects.toThrow(new RegExp(` Did you mean ${likely}\\?$`));
  });

  test.each([
    [
      "POST",
      "faults",
      { on: "* *", staus: 503 },
      'field "staus"; this request takes on,',
      "status",
    ],
    ["POST", "keys", { credit: 1 }, 'field "credit"; this request takes mode,', "credits"],
    ["GET", "journal?methd=GET", {}, 'query parameter "methd"; this request', "method"],
  ] as const)("%s /__mock/%s", async (method, path, fields, message, likely) => {
    const { fetch, baseUrl } = createMock();
    const { get, post } = controls(fetch, baseUrl);
    const { status, body } = await (method === "GET" ? get(path) : post(path, fields));
    expect(status).toBe(400);
    expect(body["detail"]).toContain(message);
    expect(body["detail"]).toMatch(new RegExp(` Did you mean ${likely}\\?$`));
  });
});
