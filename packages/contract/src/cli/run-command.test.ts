import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { must } from "../outcome.ts";
import type { Profile } from "../report.ts";
import { command } from "../../test/command.ts";
import { newPath } from "../../test/files.ts";
import { deployed, served } from "../../test/served.ts";
import { aCheck, aProbe, aSuite, breaks, keeps, skips } from "../../test/suite.ts";

const refund = aProbe("refund", () => Promise.resolve("failed"));
const good = aSuite([keeps], [refund]);
const bad = aSuite([keeps, breaks, skips], [refund]);

describe("a run of the command", () => {
  test("is 0 when every check passes, and says beforehand what it may spend", async () => {
    const { url } = await deployed();
    const argv = ["--base-url", url, "--api-key", "svc_test_mock"];
    const { code, stdout, stderr } = await command(argv, { suite: good });
    expect(code).toBe(0);
    expect(stderr).toContain(
      [
        `Checking ${url}`,
        "  level safe: 1 check, 1 open point",
        "  keys: test (yours)",
        "  spends nothing: no key is live",
        "  time is real; webhooks arrive on this machine",
      ].join("\n"),
    );
    expect(stderr).toContain("  passed         sample.keeps\n");
    expect(stdout).toContain("  refund  failed  a failed job gives its credits back\n");
    expect(stdout).toContain("The deployment passes every");
  });

  test("says what it may spend of a live key, and never more than it was allowed", async () => {
    const { url } = await deployed();
    const argv = ["--base-url", url, "--allow-live"];
    const environment = { TRYON_API_KEY: "svc_live_mock" };
    const dear = aSuite([aCheck("sample.dear", keeps.run, { credits: 80 })]);
    const { stderr } = await command(argv, { suite: dear, environment });
    expect(stderr).toContain(
      "  spends at most 50 credits; all checks would take 80, so some may not run\n",
    );
    const free = await command([...argv, "--max-credits=0"], { suite: good, environment });
    expect(free.stderr).toContain("  spends nothing: all checks are free\n");
  });

  test("counts a submission at the price of the account, and never below the documented one", async () => {
    const stated = { "1K": 30, "2K": 1, "8K": 45 };
    const { mock, url } = await deployed();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      if (!new Request(input, init).url.endsWith("/account")) return response;
      const account = Object(await response.json()) as Record<string, unknown>;
      return Response.json({ ...account, tryon_cost_credits: stated });
    };
    const sizes = ["1K", "2K", "8K", "none"];
    const suite = aSuite(
      sizes.map((size) =>
        aCheck(`sample.${size}`, async ({ context, http }) => {
          const spent = context.budget.spent;
          await http.submit({ output_size: size, prompt: "x".repeat(2_000) });
          must(false, `${context.budget.spent - spent}`);
        }),
      ),
    );
    const argv = ["--base-url", url, "--report=json", "--allow-live", "--max-credits"];
    const environment = { TRYON_API_KEY: mock.keys.live };
    const outcomes = async (max: number): Promise<string[]> => {
      const { stdout } = await command([...argv, `${max}`], { suite, environment, fetch });
      const costs = stdout.matchAll(/(\d+) more credits would exceed/g);
      return [...costs].map(([, cost = ""]) => cost).toSorted();
    };
    expect(await outcomes(0)).toEqual(["12", "30", "45", "45"]);
    expect(await outcomes(44)).toEqual(["45", "45"]);
    expect(await outcomes(45)).toEqual([]);
  });

  test("is 1 when a check fails, shows how to see it, and never shows a key", async () => {
    const { url } = await served();
    const ended = await command(["--base-url", url], {
      suite: bad,
      environment: { TRYON_API_KEY: "svc_live_mock" },
    });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("actual    It was wrong with svc_test_….");
    expect(ended.stdout).toContain(
      `request   curl -i ${url}/api/v1/account -H 'authorization: Bearer svc_test_…'`,
    );
    // Both outputs can go to one log.
    expect(ended.stderr).toContain("  failed         sample.breaks\n");
    expect(`${ended.stdout}${ended.stderr}`.split("It was wrong")).toHaveLength(2);
    expect(ended.stderr).toContain(
      "  keys: live (yours), test (created for this run), another account's (live, created for this run)",
    );
    expect(ended.stdout).toContain("  1 × It takes the moon (--moon).\n        sample.skips\n");
    expect(ended.stdout + ended.stderr).not.toMatch(/svc_(live|test)_\w/);
  });

  test("prints a failed check once on a terminal of any width, wrapped at words", async () => {
    const { url } = await served();
    const { stdout, stderr } = await command(["--base-url", url], { suite: bad, terminal: true });
    const shown = stripVTControlCharacters(stderr.replaceAll("\r\u001B[2K", "\n") + stdout);
    expect(shown.split("It was wrong")).toHaveLength(2);
    for (const line of shown.split("\n")) {
      expect(line.includes(" ") ? line.length : 0, line).toBeLessThanOrEqual(60);
    }
  });

  test("prints only failures and the verdict with --quiet", async () => {
    const { url } = await served();
    const ended = await command(["--base-url", url, "--quiet"], { suite: bad });
    expect(ended.stderr).toBe("");
    expect(ended.stdout).toMatch(/^Failed: /);
    expect(ended.stdout).not.toContain("Observed");
  });

  test("has colors on a terminal unless NO_COLOR is set", async () => {
    const { url } = await served();
    for (const [NO_COLOR, colors] of [
      ["", true],
      ["1", false],
    ] as const) {
      const around = { suite: bad, terminal: true, environment: { NO_COLOR } };
      const { stdout } = await command(["--base-url", url], around);
      // The text of the report has the failures, so that they are printed once.
      const { stderr } = await command(["--base-url", url, "--report=json"], around);
      expect([stdout.includes("\u001B[31m"), stderr.includes("\u001B[31m")]).toEqual([
        colors,
        colors,
      ]);
    }
  });

  test("cuts requests to a line of a terminal, and has them whole in reports", async () => {
    const { url } = await served();
    const at = newPath();
    const long = aCheck("sample.long", async ({ http }) => {
      const response = await http.submit();
      must(false, "It was wrong.", response);
    });
    const argv = ["--base-url", url, `--report=json=${at}/json`];
    const around = { suite: aSuite([long]), terminal: true };
    const { stdout } = await command(argv, around);
    const { stderr } = await command(["--base-url", url, "--report=json"], around);
    for (const output of [stdout, stderr]) {
      const [line = ""] = /^ {4}request .*$/m.exec(stripVTControlCharacters(output)) ?? [];
      expect(line).toMatch(/^ {4}request {3}curl -i -X POST http.*… \(whole in --report html\)$/);
      expect(line.length).toBeLessThanOrEqual(60);
    }
    expect(await readFile(join(at, "json"), "utf8")).toContain('\\"output_size\\":\\"1K\\"');
  });

  test("gives each report to its file, the profile to its own, and the text to people", async () => {
    const { url } = await served();
    const at = newPath();
    const forms = ["json", "junit", "html"].map((form) => `--report=${form}=${at}/${form}`);
    const argv = ["--base-url", url, ...forms, "--profile", `${at}/profile`];
    const { stdout, stderr } = await command(argv, { suite: good });
    const text = (name: string): Promise<string> => readFile(join(at, name), "utf8");
    expect(JSON.parse(await text("json"))).toMatchObject({ base_url: url, format_version: 1 });
    expect(await text("junit")).toContain('<testsuites name="tryon-contract');
    expect(await text("html")).toContain("<!doctype html>");
    const profile = JSON.parse(await text("profile")) as Profile;
    expect(profile).toMatchObject({ options: { refund: "failed" } });
    expect(createMock({ profile }).options.refund).toBe("failed");
    expect(stdout).toContain("The deployment passes every");
    expect(stderr).toContain(`profile: ${at}/profile  (tryon-mock --profile ${at}/profile)\n`);
  });

  test("leaves standard output to a report that goes there", async () => {
    const { url } = await served();
    const argv = ["--base-url", url, "--report", "json"];
    const { stdout } = await command(argv, { suite: bad, terminal: true });
    expect(JSON.parse(stdout)).toMatchObject({ summary: { failed: 1 } });
  });

  test("refuses files that cannot be written before it looks at anything", async () => {
    const mock = createMock();
    const argv = ["--base-url", mock.baseUrl];
    for (const [flag, file] of [
      ["--report", "html=/nowhere/a.html"],
      ["--profile", "/nowhere/p.json"],
      ["--report", `html=${tmpdir()}`],
    ] as const) {
      const ended = await command([...argv, flag, file], { suite: good, fetch: mock.fetch });
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(/^tryon-contract: Cannot write [^\n]+\n$/);
    }
    expect(mock.journal.entries()).toEqual([]);
  });
});

test("--only prints the results of the chosen checks, and no line for what it left out", async () => {
  const mock = createMock();
  const argv = ["--base-url", mock.baseUrl, "--only", "account."];
  const { code, stdout, stderr } = await command(argv, { fetch: mock.fetch });
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).not.toMatch(/not observable {2,}|46/i);
  expect(stdout).toMatch(/^Passed: .*\n {2}✓ account\.name {2}\w/);
  expect(stdout).toContain("5 passed · 0 failed · 0 not observable");
});
