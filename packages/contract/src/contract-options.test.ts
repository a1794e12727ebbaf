import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { command } from "../test/command.ts";
import { goodReport } from "../test/sample-report.ts";
import { runContract } from "./contract.ts";
import type { ContractOptions } from "./contract-options.ts";
import { formatReport, type ReportForm } from "./report/index.ts";

test.each<[object, string, string]>([
  [{ baseURL: "" }, 'Unknown option "baseURL"; the options are baseUrl, ', "baseUrl"],
  [{ maxCredit: undefined }, 'Unknown option "maxCredit"; ', "maxCredits"],
  [{ keys: { tset: "svc_test_a" } }, 'Unknown key "tset"; the keys are live, test, ', "test"],
  [{ only: ["idempotncy"] }, "(--only); checks begin with urls, discovery, ", "idempotency"],
  [{ only: ["account.", "sync.limt"] }, 'No check begins with "sync.limt" (--only)', "sync.limit"],
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
    /^tryon-contract: No check begins with "Idempotency" .* Did you mean idempotency\?\n$/,
  );
});

test("rejects checks that run only at another level", async () => {
  const { baseUrl, fetch } = createMock();
  const options: ContractOptions = { baseUrl, fetch, only: ["sync.limit"] };
  await expect(runContract(options)).rejects.toThrow(
    "No check of --only runs at level safe; use --level full.",
  );
});

test("rejects an unknown form of a report", () => {
  // Callers in JavaScript can pass what the compiler refuses.
  expect(() => formatReport(goodReport, "jnuit" as ReportForm)).toThrow(
    'Unknown form "jnuit"; the forms are text, junit, json, html. Did you mean junit?',
  );
});
