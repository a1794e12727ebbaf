import { readFileSync } from "node:fs";

import type { MockOptions } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContractProgram } from "../../test/command.ts";
import { linesOf, newFile, newPath } from "../../test/files.ts";
import { recordScenes } from "../../test/traffic.ts";

const run = (...argv: readonly string[]) => runContractProgram("observe", ...argv);

async function exchangesOf(names: readonly string[], options: MockOptions = {}) {
  return (await recordScenes(names, options)).session.map(({ exchange }) => exchange);
}

const usual = await exchangesOf(["repeats", "rateLimit"]);
const other = await exchangesOf(["repeats"], { profile: "alternate" });

test("the help fits on one screen", async () => {
  const { code, stdout } = await run("--help");
  expect(code).toBe(0);
  expect(stdout.split("\n").length).toBeLessThanOrEqual(24);
});

test("prints values with the lines that show them, durations and statuses", async () => {
  const { code, stdout } = await run(newFile(linesOf(usual)));
  expect(code).toBe(0);
  expect(stdout).toMatch(/replayHeader +true .*session\.ndjson:4/);
  expect(stdout).toMatch(/Not seen\n.*unknownPack/);
  expect(stdout).toMatch(/1K +1 +1500 ms/);
  expect(stdout).toMatch(/GET \/api\/v1\/account +200 × 2, 429 × 1/);
  expect(stdout).toContain("Nothing is against the contract");
});

test("names the values that are possible where the traffic excludes others", async () => {
  const { stdout } = await run(newFile(linesOf(other)));
  expect(stdout).toMatch(/Not seen\n.*rateHeaders \(429-only or none\)/);
});

function valuesOf({ stdout }: { readonly stdout: string }) {
  const { options } = JSON.parse(stdout) as { options: { option: string; value: unknown }[] };
  return options.map(({ option, value }) => [option, value] as const);
}

test("writes a configuration under which the reference server shows the same", async () => {
  const output = newPath("observed.json");
  const { code } = await run(newFile(linesOf(other)), "--output", output);
  expect(code).toBe(0);
  // The file has this form.
  const config = JSON.parse(readFileSync(output, "utf8")) as MockOptions;
  const again = await exchangesOf(["repeats"], config);
  const [first, second] = [
    await run(newFile(linesOf(other)), "--json"),
    await run(newFile(linesOf(again)), "--json"),
  ];
  expect(valuesOf(second)).toEqual(valuesOf(first));
  expect(Object.fromEntries(valuesOf(first))).toMatchObject({
    replayHeader: false,
    sparseSubmit: true,
  });
});

describe("reports as a failure", () => {
  test("traffic that shows two values of one option", async () => {
    const { code, stdout } = await run(newFile(linesOf(usual)), newFile(linesOf(other)));
    expect(code).toBe(1);
    expect(stdout).toMatch(/Contradicting[^]*rateHeaders/);
  });

  test("a response against the contract, a new field and a new header", async () => {
    const exchange = usual.find(({ path }) => path === "/api/v1/account");
    const body = { ...Object(exchange?.response?.body), credits_remaining: "many", brand: "x" };
    const response = { ...exchange?.response, body, headers: { "x-new": "(3 characters)" } };
    const { code, stdout } = await run(newFile(`${JSON.stringify({ ...exchange, response })}\n`));
    expect(code).toBe(1);
    expect(stdout).toMatch(/Against the contract: 2\n[^]*credits_remaining must be integer/);
    expect(stdout).toContain("header x-new");
    expect(stdout).toContain("field brand of GET /api/v1/account");
  });
});

test("leaves out a last line that is cut off, and says so", async () => {
  const file = newFile(linesOf(usual).slice(0, -20));
  const { code, stdout, stderr } = await run(file);
  expect(code).toBe(0);
  expect(stderr).toContain(`:${usual.length} is cut off, and left out.`);
  expect(stdout).toContain(`${usual.length - 1} exchanges`);
});

test.each([
  ["a missing file", () => newPath("none.ndjson"), /none\.ndjson cannot be read \(ENOENT\)/],
  ["an invalid line", () => newFile(`{}\n${linesOf(usual)}`), /:1 is not an exchange of format 1/],
  [
    "a line that is not UTF-8",
    () => newFile(Buffer.from(`${linesOf(usual)}é\n`, "latin1")),
    /\.ndjson:\d+ is not text in UTF-8: save it as UTF-8\.$/m,
  ],
  ["an empty session", () => newFile(""), /the session has no exchange/],
])("refuses %s with exit code 2", async (_, file, message) => {
  const { code, stderr } = await run(file());
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
