import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { command } from "../test/command.ts";
import { goodReport } from "../test/sample-report.ts";
import { runContract } from "./contract.ts";
import type { ContractOptions } from "./contract-options.ts";
import { formatReport, type ReportForm } from "./report/index.ts";

test.each<[object, string, string]>([
  [{ baseURL: "" }, "baseURL is not an option of runContract.", "baseUrl"],
  [{ maxCredit: 1 }, "maxCredit is not an option of runContract.", "maxCredits"],
  [{ keys: { tset: "svc_test_a" } }, "tset is not a key of runContract.", "test"],
  [{ only: ["idempotncy"] }, 'only has "idempotncy", with which no check begins.', "idempotency"],
  [
    { only: ["account.", "sync.limt"] },
    'only has "sync.limt", with which no check begins.',
    "sync.limit",
  ],
])(
  "rejects %j with the known names and the likely one, and sends nothing",
  async (given, message, likely) => {
    const mock = createMock();
    const options: ContractOptions = { baseUrl: mock.baseUrl, fetch: mock.fetch, ...given };
    await expect(runContract(options)).rejects.toThrow(TypeError);
    await expect(runContract(options)).rejects.toThrow(message);
    await expect(runContract(options)).rejects.toThrow(new RegExp(` Did you mean ${likely}\\?$`));
    expect(mock.journal.entries()).toEqual([]);
  },
);

test("a prefix of --only that begins no check ends the command with 2", async () => {
  const mock = createMock();
  const argv = ["--base-url", mock.baseUrl, "--only", "Idempotency"];
  const { code, stdout, stderr } = await command(argv, { fetch: mock.fetch });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(
    /^tryon-contract: --only has "Idempotency", with which no check begins. Did you mean idempotency\?\n$/,
  );
});

test.each(["/api/v1", "/api/v1/", "/api/v1/tryon"])(
  "rejects a base URL that ends in %s, and names the right one",
  async (path) => {
    const mock = createMock();
    const options = { baseUrl: `${mock.baseUrl}${path}`, fetch: mock.fetch };
    await expect(runContract(options)).rejects.toThrow(`which the kit adds. Use ${mock.baseUrl}.`);
    expect(mock.journal.entries()).toEqual([]);
  },
);

test("rejects checks that run only at another level", async () => {
  const { baseUrl, fetch } = createMock();
  const options: ContractOptions = { baseUrl, fetch, only: ["sync.limit"] };
  await expect(runContract(options)).rejects.toThrow(
    "only has no check that runs at level safe. Use full.",
  );
});

test("rejects an unknown form of a report", () => {
  // Callers in JavaScript can pass what the compiler refuses.
  expect(() => formatReport(goodReport, "jnuit" as ReportForm)).toThrow(
    "jnuit is not a form of a report. Did you mean junit?",
  );
});

async function sent(options: Partial<ContractOptions>) {
  const mock = createMock({ baseUrl: "http://mock.test:4010", clock: "manual" });
  const keys: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    keys.push(new Request(input, init).headers.get("authorization"));
    return mock.fetch(input, init);
  };
  const run = runContract({ baseUrl: mock.baseUrl, fetch, only: ["account"], ...options });
  return { run, keys };
}
describe("a key over http", () => {
  const apiKey = "svc_test_mock";
  const message =
    "http://mock.test:4010 is http: others could read the keys. Use https, or --allow-http (allowInsecure: true).";

  test.each<Partial<ContractOptions>>([
    { apiKey },
    { keys: { stranger: apiKey } },
    { apiKey, allowInsecure: false },
  ])("is refused before a request: %j", async (options) => {
    const { run, keys } = await sent(options);
    await expect(run).rejects.toThrow(`baseUrl ${message}`);
    expect(keys).toEqual([]);
  });

  test.each<Partial<ContractOptions>>([{ apiKey, allowInsecure: true }, {}])(
    "is sent with allowInsecure, and keys that the kit makes are: %j",
    async (options) => {
      const { run, keys } = await sent(options);
      expect((await run).checks.filter(({ status }) => status === "failed")).toEqual([]);
      expect(keys.length).toBeGreaterThan(3);
    },
  );

  test("ends each command with 2, and is allowed by --allow-http", async () => {
    const mock = createMock({ baseUrl: "http://mock.test:4010" });
    const argv = ["--base-url", mock.baseUrl, "--only", "account", "--quiet"];
    const context = { fetch: mock.fetch, environment: { TRYON_API_KEY: apiKey } };
    const refused = await command(argv, context);
    expect([refused.code, refused.stderr]).toEqual([2, `tryon-contract: --base-url ${message}\n`]);
    expect((await command([...argv, "--allow-http"], context)).code).toBe(0);
  });
});
