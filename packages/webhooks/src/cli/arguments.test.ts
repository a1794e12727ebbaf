import { describe, expect, it } from "vitest";

import packageJson from "../../package.json" with { type: "json" };
import { command, fileOf } from "../../test/command.ts";

const secret = "whsec_5f2b8c1d9e7a4036";
const file = () => fileOf("{}");
const request = (text: string) => ["verify", "--request", fileOf(text)];
const body = () => ["verify", "--body", file()];

describe("a command line that cannot be understood ends with 2, one sentence and no secret", () => {
  it.each<[string, () => readonly string[], string]>([
    ["another command", () => ["verfiy"], "Did you mean verify?"],
    ["no such command", () => ["frobnicate"], "there are verify, explain, sign, send."],
    ["help of no such command", () => ["help", "sned"], "Did you mean send?"],
    [
      "another option",
      () => [...body(), "--haeders", "x"],
      "no such option; did you mean --headers?",
    ],
    ["no such option", () => ["sign", "--frobnicate"], "see tryon-webhooks help."],
    [
      "a secret behind a mistyped option",
      () => [...body(), `--secrte=${secret}`],
      "mean --secret?",
    ],
    ["a secret as the next word", () => [...body(), "--secrte", secret], "mean --secret?"],
    ["a secret without a space", () => [...body(), `--secret${secret}`], "no such option"],
    ["a secret as an option", () => [...body(), `--${secret}`], "no such option"],
    ["a secret as a short option", () => [...body(), `-s${secret}`], "no such option"],
    ["a secret for a switch", () => [...body(), `--json=${secret}`], "--json"],
    ["a secret behind no name", () => [...body(), `--=${secret}`], "no such option"],
    ["a secret as the command", () => [secret], "no such command"],
    ["a secret as the command of help", () => ["help", secret], "no such command"],
    ["a secret as its own file", () => [...body(), "--secret-file", secret], "no such file"],
    [
      "two secrets typed to sign",
      () => ["sign", "--body", file(), "--secret", secret, "--secret", secret],
      "takes one",
    ],
    [
      "the text of an unset variable",
      () => ["sign", "--body", file(), "--secret", " undefined"],
      "undefined or null",
    ],
    ["an option without its value", () => ["verify", "--body"], "--body"],
    ["a word too many", () => ["verify", secret], "belongs to no option"],
    ["neither body nor request", () => ["verify"], "needs either --body"],
    ["both body and request", () => [...body(), "--request", "-"], "needs either --body"],
    [
      "request and header",
      () => ["explain", "--request", "-", "--header", "a: b"],
      "brings its headers",
    ],
    ["an empty value", () => ["verify", "--body", ""], "--body is empty"],
    ["an option of explain", () => [...body(), "--other-secret-file", "-"], "belongs to explain"],
    ["a header that is none", () => [...body(), "--header", "sha256=4711"], '"Name: value"'],
    ["a file that is not there", () => ["verify", "--body", "/nowhere/x"], "there is no such file"],
    ["a folder", () => ["verify", "--body", "/"], "it is a folder"],
    [
      "stdin twice",
      () => ["verify", "--body", "-", "--headers", "-"],
      "cannot both be read from stdin",
    ],
    ["JSON that is none", () => [...body(), "--headers", fileOf("{")], "is no JSON"],
    [
      "headers that are no text",
      () => [...body(), "--headers", fileOf('{"a":7}')],
      "that is no text",
    ],
    ["pairs that are none", () => [...body(), "--headers", fileOf("[7]")], "that is no text"],
    ["a request that is none", () => request("{}"), "is no HTTP request"],
    ["a request without its end", () => request("POST / HTTP/1.1\r\nA: b"), "is no HTTP request"],
    ["chunks", () => request("POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n0"), "is in chunks"],
    [
      "half a body",
      () => request("POST / HTTP/1.1\nContent-Length: 9\n\n{}"),
      "it is not all there",
    ],
    ["sign without a body", () => ["sign"], "sign needs --body"],
    [
      "two secrets to sign",
      () => ["sign", "--body", file(), "--secret", "a", "--secret", "b"],
      "takes one",
    ],
    ["no secret to sign", () => ["sign", "--body", file()], "set TRYON_WEBHOOK_SECRET"],
    ["a blank secret to sign", () => ["sign", "--body", file(), "--secret", " "], "it is blank"],
    ["no address", () => ["send"], "send needs --to"],
    ["no such address", () => ["send", "--to", "localhost:3000"], "--to has to be an address"],
    [
      "an address with a password",
      () => ["send", "--to", "http://a:b@localhost"],
      "user name or password",
    ],
    ["another machine", () => ["send", "--to", "http://shop.example"], "not https"],
    ["a name that begins so", () => ["send", "--to", "http://localhost.shop.example"], "not https"],
    [
      "another status",
      () => ["send", "--to", "http://localhost", "--status", "fialed"],
      "mean failed?",
    ],
    [
      "another breakage",
      () => ["send", "--to", "http://localhost", "--break", "bdoy"],
      "mean body?",
    ],
    ["no number", () => ["send", "--to", "http://localhost", "--repeat", "0"], "from 1 to 1000"],
    [
      "body and status",
      () => ["send", "--to", "http://localhost", "--body", "-", "--status", "failed"],
      "all of the event",
    ],
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
  it.each([[], ["help"], ["-h"], ["--help"]])("tells of all commands: %s", async (...argv) => {
    const { code, stdout } = await command(argv);
    expect(code).toBe(0);
    for (const verb of ["verify", "explain", "sign", "send"])
      expect(stdout).toContain(`  tryon-webhooks ${verb}`);
  });

  it.each(["verify", "explain", "sign", "send"])("tells of %s", async (verb) => {
    const pages = [await command([verb, "--help"]), await command([verb, "-h"])];
    const page = await command(["help", verb]);
    expect(pages).toEqual([page, page]);
    expect(page).toMatchObject({ code: 0, stderr: "" });
    expect(page.stdout).toMatch(new RegExp(`^tryon-webhooks ${verb} `));
    expect(page.stdout).toContain("--secret-file");
  });

  it("has the version", async () => {
    const stdout = `${packageJson.version}\n`;
    expect(await command(["--version"])).toMatchObject({ code: 0, stdout });
  });
});
