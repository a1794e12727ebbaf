import { readFileSync } from "node:fs";

import { UsageError } from "@tryon/cli-kit";
import { describe, expect, test } from "vitest";

import { newFile } from "../../test/files.ts";
import { version } from "../version.ts";
import { exits } from "./exit-codes.ts";
import { runContractCommand } from "./program.ts";
import type { RunOptions } from "./run-options.ts";

async function read(argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const output = { text: "" };
  const stdout = { write: (text: string) => (output.text += text) };
  let options: RunOptions | undefined;
  await runContractCommand(argv, { stdout, stderr: stdout, environment }, async (given) => {
    options = given;
    return 0;
  });
  return { options, output: output.text };
}

const usual = {
  baseUrl: "https://a.example",
  keys: {},
  level: "safe",
  reports: [{ form: "text", file: undefined }],
};

const base = ["--base-url", "https://a.example"];

describe("a command line", () => {
  test.each([
    [[], {}],
    [["--api-key", "svc_test_a", "--level", "full"], { apiKey: "svc_test_a", level: "full" }],
    [["--max-credits", "0", "--allow-live"], { maxCredits: 0, allowLive: true }],
    [["--only", "idempotency", "--only=list."], { only: ["idempotency", "list."] }],
    [["--test-key=svc_test_b"], { keys: { test: "svc_test_b" } }],
    [
      ["--webhook-url", "https://b.example/x", "--webhook-port", "9000"],
      { webhookUrl: "https://b.example/x", webhookPort: 9_000 },
    ],
    [["--report", "json"], { reports: [{ form: "json", file: undefined }] }],
    [
      ["--report", "html=a=b.html", "--report", "text"],
      {
        reports: [
          { form: "html", file: "a=b.html" },
          { form: "text", file: undefined },
        ],
      },
    ],
    [
      ["--profile", "p.json", "--quiet", "--real-time"],
      { profile: "p.json", quiet: true, realTime: true },
    ],
  ])("is read: %j", async (argv, expected) => {
    expect(await read([...base, ...argv])).toEqual({
      options: { ...usual, ...expected },
      output: "",
    });
  });

  test("takes missing options from the environment, where empty variables count as missing", async () => {
    const environment = {
      TRYON_BASE_URL: "https://b.example",
      TRYON_API_KEY: "svc_test_b",
      TRYON_WEBHOOK_SECRET: "",
    };
    const more = { baseUrl: "https://b.example", apiKey: "svc_test_b" };
    expect((await read([], environment)).options).toEqual({ ...usual, ...more });
    const flags = [...base, "--api-key", "svc_test_a"];
    expect((await read(flags, environment)).options).toEqual({ ...usual, apiKey: "svc_test_a" });
  });

  test("takes keys from variables, also of a file, and the webhook secret from a file", async () => {
    const env = newFile("TRYON_LIVE_KEY=svc_live_a\nTRYON_OTHER_KEY=c\nTRYON_DISABLED_KEY=d\n");
    const secret = newFile("whsec_a\n");
    const environment = { TRYON_LIVE_KEY: "svc_live_b", TRYON_FLAGGED_KEY: "e" };
    const argv = [...base, "--env-file", env, "--secret-file", secret];
    expect((await read(argv, environment)).options).toMatchObject({
      keys: { live: "svc_live_a", stranger: "c", disabled: "d", flagged: "e" },
      webhookSecret: "whsec_a",
    });
  });

  test("prints the version", async () => {
    expect(await read(["--version"])).toEqual({ options: undefined, output: `${version}\n` });
  });

  test.each([
    [[], "The deployment is missing: use --base-url https://tryon.example, or set TRYON_BASE_URL."],
    [["--base-url="], "'--base-url <url>' is invalid. It is empty"],
    [["--lvel", "full"], "unknown option --lvel. Did you mean --level?"],
    [["record", "--out", "a.ndjson"], "unknown option --out. Did you mean --output?"],
    [["--colour"], "unknown option --colour. Run tryon-contract --help."],
    [["-k", "x"], "unknown option -k."],
    [["--level"], "'--level <level>' argument missing"],
    [["--quiet=yes"], "unknown option --quiet=…."],
    [[...base, "svc_test_a"], "too many arguments"],
    [[...base, "--level", "payed"], "is invalid. Allowed choices are safe, paid, full."],
    [[...base, "--max-credits", "-1"], "--max-credits"],
    [[...base, "--max-credits", "1.5"], "It must be a whole number from 0"],
    [[...base, "--webhook-port", "65536"], "from 0 to 65535"],
    [[...base, "--webhook-url", "b.example"], "It must be an http or https URL"],
    [[...base, "--api-key", ""], "'--api-key <key>' is invalid. It is empty"],
    [[...base, "--api-key", "svc_live_a"], "It takes a test key, svc_test_…, only"],
    [[...base, "--test-key=svc_live_a"], "It takes a test key, svc_test_…, only"],
    [[...base, "--live-key=svc_live_a"], "unknown option --live-key=…"],
    [[...base, "--env-file", "none"], "the file of --env-file cannot be read. Check its path."],
    [[...base, "--secret-file", "none"], "the file of --secret-file cannot be read."],
    [[...base, "--only", " "], "'--only <prefix>' is invalid. It is empty"],
    [[...base, "--report", "xml"], "Allowed forms are text, junit, json, html."],
    [[...base, "--report", "html="], "Name a file, as in html=report.out."],
    [[...base, "--report=html", "--report=json"], "Two reports have the same destination"],
    [[...base, "--report=html=a", "--report=json=a"], "Two reports have the same destination"],
  ])("that is wrong is rejected in one line: %j", async (argv, sentence) => {
    const error: unknown = await read(argv).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(sentence);
    expect(String(error)).not.toContain("\n");
  });
});

test.each(["--help", "-h", "help"])(
  "%s prints every exit code, two examples and the URL of the docs, and fits a terminal",
  async (flag) => {
    const { options, output } = await read([flag, "--level", "full"]);
    expect(options).toBeUndefined();
    for (const [, code, meaning] of exits) expect(output).toContain(`${code}  ${meaning}`);
    const end = /\nExamples:\n(?: {2}npx tryon-contract .+\n){2}\nDocs: (file:.+)\n$/;
    const [, docs = ""] = end.exec(output) ?? [];
    expect(readFileSync(new URL(docs), "utf8")).toMatch(/^# @tryon\/contract\n/);
    expect(output.replace(docs, "")).not.toMatch(/.{101}/);
  },
);
