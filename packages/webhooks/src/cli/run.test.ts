import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import packageJson from "../../package.json" with { type: "json" };
import { command, fileOf } from "../../test/command.ts";

const secret = "whsec_5f2b8c1d9e7a4036";
const file = () => fileOf("{}");
const request = (text: string) => ["verify", "--request", fileOf(text)];
const send = (...argv: readonly string[]) => ["send", "--to", "http://localhost", ...argv];
const sign = (key: string | Uint8Array) => ["sign", "--body", file(), "--secret-file", fileOf(key)];
const body = () => ["verify", "--body", file()];

describe("a wrong command line ends with exit code 2, one line and no secret:", () => {
  it.each<[string, () => readonly string[], string]>([
    ["a mistyped command", () => ["verfiy"], "unknown command. Did you mean verify?"],
    ["an unknown command", () => ["frobnicate"], "unknown command. Run tryon-webhooks --help."],
    ["help of an unknown command", () => ["help", "sned"], "unknown command. Run tryon-webhooks"],
    [
      "a mistyped option",
      () => [...body(), "--haeders", "x"],
      "unknown option --haeders. Did you mean",
    ],
    ["a secret in an option", () => [...body(), `--secret=${secret}`], "unknown option"],
    ["a secret after an option", () => [...body(), "--secret", secret], "unknown option"],
    ["a secret with a quote", () => [...body(), `--secret'${secret}' is`], "unknown option"],
    ["a secret as an option", () => [...body(), `--${secret}`], "unknown option"],
    ["a secret as a short option", () => [...body(), `-s${secret}`], "unknown option"],
    ["a secret for a switch", () => [...body(), `--json=${secret}`], "unknown option"],
    ["a secret as the command", () => [secret], "unknown command"],
    ["a secret as the command of help", () => ["help", secret], "unknown command"],
    ["a secret as its own file", () => [...body(), "--secret-file", secret], "does not exist"],
    ["a secret as a status", () => send("--status", secret), "choices are succeeded, failed"],
    ["a secret as a URL", () => ["send", "--to", `${secret}' is invalid. `], "must be a URL"],
    [
      "a secret that is not text",
      () => sign(Uint8Array.of(0x77, 0xe9)),
      "the input of --secret-file line 1 is not text in UTF-8. Save it as UTF-8.",
    ],
    ["the text of an unset variable", () => sign("undefined"), "`undefined` or `null`"],
    [
      "two secrets to sign",
      () => [...sign(secret), ...sign(secret).slice(-2)],
      "exactly one secret",
    ],
    ["a blank secret to sign", () => sign(" "), "`undefined` or `null`"],
    ["an option without its value", () => ["verify", "--body"], "'--body <file>' argument missing"],
    ["an option instead of a value", () => ["sign", "--body", "--json"], "Its value is missing"],
    ["a surplus word", () => ["verify", secret], "too many arguments for 'verify'"],
    ["neither body nor request", () => ["verify"], "verify needs --body"],
    ["both body and request", () => [...body(), "--request", "-"], "cannot be used with"],
    [
      "request and header",
      () => ["explain", "--request", "-", "--header", "a: b"],
      "cannot be used with option '--header <line>'",
    ],
    ["an empty value", () => ["verify", "--body", ""], "'--body <file>' is invalid. It is empty"],
    ["an option of explain", () => [...body(), "--other-secret-file", "-"], "unknown option"],
    ["a malformed header", () => [...body(), "--header", "sha256=4711"], '"Name: value"'],
    ["a missing file", () => ["verify", "--body", "/nowhere/x"], "the file does not exist"],
    ["a folder", () => ["verify", "--body", "/"], "it is a folder"],
    [
      "stdin twice",
      () => [...body(), "--secret-file", "-", "--secret-file", "-"],
      "both be read from stdin",
    ],
    ["a request of JSON", () => request("{}"), "is not an HTTP request"],
    ["a request without its end", () => request("POST / HTTP/1.1\r\nA: b"), "is not an HTTP"],
    ["chunks", () => request("POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n0"), "a chunked body"],
    ["half a body", () => request("POST / HTTP/1.1\nContent-Length: 9\n\n{}"), "is incomplete"],
    ["sign without a body", () => ["sign"], "'--body <file>' not specified"],
    ["a quoted secret", () => sign(`"${secret}"`), "has quotes around it"],
    ["no secret to sign", () => ["sign", "--body", file()], "Here: TRYON_WEBHOOK_SECRET"],
    ["no URL", () => ["send"], "'--to <url>' not specified"],
    ["a malformed URL", () => ["send", "--to", "localhost:3000"], "It must be a URL such as"],
    ["a password", () => ["send", "--to", "http://a:b@localhost"], "user name or password"],
    ["another machine", () => ["send", "--to", "http://shop.example"], "not https"],
    ["a similar host", () => ["send", "--to", "http://localhost.shop.example"], "not https"],
    ["another part", () => send("--break", "bdoy"), "choices are body, rewritten,"],
    ["no number", () => send("--repeat", "0"), "from 1 to 1000"],
    ["a word as a duration", () => send("--timeout", "soon"), "such as 10s"],
    ["a duration without its unit", () => send("--timeout", "1.5"), "such as 10s"],
    ["a long duration", () => send("--timeout", "11m"), "at most 600s"],
    ["body and status", () => send("--body", "-", "--status", "failed"), "cannot be used with"],
  ])("%s", async (_, argv, sentence) => {
    const ended = await command(argv());
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^tryon-webhooks: [^\n]+\n$/);
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr).not.toContain(secret);
    expect(ended.stderr).not.toContain("4711");
  });
});

describe("help", () => {
  it("lists the commands without arguments", async () => {
    const { code, stdout } = await command([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Commands:\n {2}verify .*\n {2}explain .*\n {2}sign .*\n {2}send .*\n/);
  });

  it.each(["", "verify", "explain", "sign", "send"])(
    "ends with two examples and the URL of the docs, and fits a terminal: %s",
    async (verb) => {
      const verbs = verb === "" ? [] : [verb];
      const page = await command(["help", ...verbs]);
      expect([await command([...verbs, "-h"]), await command([...verbs, "--help"])]).toEqual([
        page,
        page,
      ]);
      expect(page).toMatchObject({ code: 0, stderr: "" });
      expect(page.stdout.startsWith(`Usage: tryon-webhooks ${verb}`)).toBe(true);
      const end = /\nExamples:\n(?: {2}npx tryon-webhooks .+\n){2}\nDocs: (file:.+)\n$/;
      const [, docs = ""] = end.exec(page.stdout) ?? [];
      expect(readFileSync(new URL(docs), "utf8")).toMatch(/^# @tryon\/webhooks\n/);
      expect(page.stdout.replace(docs, "")).not.toMatch(/.{101}/);
    },
  );

  it.each([
    [true, {}, true],
    [true, { NO_COLOR: "1" }, false],
    [true, { TERM: "dumb" }, false],
    [false, {}, false],
  ])("has colors on a terminal (%s) with %j: %s", async (terminal, environment, colors) => {
    const { stdout } = await command(["help"], { terminal, environment });
    expect(stdout.includes("\u001B[1mUsage:")).toBe(colors);
  });

  it("has the version", async () => {
    const stdout = `${packageJson.version}\n`;
    expect(await command(["--version"])).toMatchObject({ code: 0, stdout });
  });
});
