import { describe, expect, test } from "vitest";

import { readArguments } from "./arguments.ts";
import { exitCodes, exitMeanings } from "./exit-codes.ts";
import { flagNames, UsageError } from "./flags.ts";
import { help } from "./help.ts";

const usual = {
  kind: "run",
  baseUrl: "https://a.example",
  apiKey: undefined,
  keys: {},
  webhookSecret: undefined,
  level: "safe",
  maxCredits: undefined,
  allowLive: false,
  only: [],
  webhookUrl: undefined,
  webhookPort: undefined,
  realTime: false,
  reports: [{ form: "text", file: undefined }],
  profile: undefined,
  quiet: false,
};

const base = ["--base-url", "https://a.example"];

describe("a command line", () => {
  test.each([
    [[], {}],
    [["--api-key", "svc_test_a", "--level", "full"], { apiKey: "svc_test_a", level: "full" }],
    [["--max-credits", "0", "--allow-live"], { maxCredits: 0, allowLive: true }],
    [["--only", "idempotency", "--only=list."], { only: ["idempotency", "list."] }],
    [
      ["--live-key", "a", "--test-key=b", "--other-key=c", "--disabled-key=d", "--flagged-key=e"],
      { keys: { live: "a", test: "b", stranger: "c", disabled: "d", flagged: "e" } },
    ],
    [
      ["--webhook-url", "https://b.example/x", "--webhook-port", "9000", "--webhook-secret", "s"],
      { webhookUrl: "https://b.example/x", webhookPort: 9_000, webhookSecret: "s" },
    ],
    [["--report", "json"], { reports: [{ form: "json", file: undefined }] }],
    [["--report", "junit", "--output", "a.xml"], { reports: [{ form: "junit", file: "a.xml" }] }],
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
  ])("is read: %j", (argv, expected) => {
    expect(readArguments([...base, ...argv], {})).toEqual({ ...usual, ...expected });
  });

  test("takes from the environment what it does not say itself; what is empty there counts for nothing", () => {
    const environment = {
      TRYON_BASE_URL: "https://b.example",
      TRYON_API_KEY: "svc_test_b",
      TRYON_WEBHOOK_SECRET: "",
    };
    const more = { baseUrl: "https://b.example", apiKey: "svc_test_b" };
    expect(readArguments([], environment)).toEqual({ ...usual, ...more });
    const flags = [...base, "--api-key", "svc_test_a"];
    expect(readArguments(flags, environment)).toEqual({ ...usual, apiKey: "svc_test_a" });
  });

  test.each([
    [["--help"], "help"],
    [["-h", "--level", "odd"], "help"],
    [["--version"], "version"],
  ])("asks for help or the version: %j", (argv, kind) => {
    expect(readArguments(argv, {})).toEqual({ kind });
  });

  test.each([
    [[], "Say which deployment: --base-url https://tryon.example, or TRYON_BASE_URL."],
    [["--base-url="], "--base-url is empty"],
    [["--lvel", "full"], "There is no option --lvel; did you mean --level?"],
    [["--colour"], "There is no option --colour; see tryon-contract --help."],
    [["-k", "x"], "There is no option -k"],
    [["--level"], "--level"],
    [["--quiet=yes"], "--quiet"],
    [[...base, "svc_test_a"], '"svc_test_…" belongs to no option'],
    [
      [...base, "--level", "payed"],
      '--level has to be one of safe, paid, full; got "payed". Did you mean paid?',
    ],
    [[...base, "--max-credits", "-1"], "--max-credits"],
    [[...base, "--max-credits", "1.5"], "--max-credits has to be a whole number from 0"],
    [[...base, "--webhook-port", "65536"], "from 0 to 65535"],
    [[...base, "--webhook-url", "b.example"], "--webhook-url has to be an http or https address"],
    [[...base, "--api-key", ""], "--api-key is empty"],
    [[...base, "--only", " "], "--only is empty"],
    [[...base, "--report", "xml"], '--report has to be one of text, junit, json, html; got "xml".'],
    [[...base, "--report", "html="], "--report html= names no file"],
    [[...base, "--report=html", "--report=json"], "Two reports would go to standard output"],
    [[...base, "--report=html=a", "--report=json=a"], "Two reports would go to a;"],
    [[...base, "--report=html=a", "--output", "b"], "--output is for one --report"],
    [[...base, "--report=html", "--report=json=a", "--output", "b"], "--output is for one"],
  ])("that cannot be understood is refused in one sentence: %j", (argv, sentence) => {
    expect(() => readArguments(argv, {})).toThrow(UsageError);
    expect(() => readArguments(argv, {})).toThrow(sentence);
    expect(() => readArguments(argv, {})).not.toThrow("\n");
  });
});

describe("help", () => {
  test("names every flag and every exit code, and fits a terminal", () => {
    const text = help();
    for (const flag of flagNames) expect(text).toContain(`--${flag}`);
    expect(exitMeanings.map(([code]) => code)).toEqual(Object.values(exitCodes));
    for (const [code, meaning] of exitMeanings) expect(text).toContain(`${code}  ${meaning}`);
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});
