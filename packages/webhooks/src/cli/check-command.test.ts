import { describe, expect, it } from "vitest";

import { command, fileOf } from "../../test/command.ts";
import { eventBody, leaked, secret, signatureOf } from "../../test/explained.ts";

const signature = signatureOf(eventBody);
const header = `X-Service-Signature: ${signature}`;
const spaced = JSON.stringify(JSON.parse(eventBody), null, 2);

/** Checks a body with its recorded signature. */
const check = (
  verb: string,
  body: string | Uint8Array,
  around: Parameters<typeof command>[1],
  ...more: readonly string[]
) => command([verb, "--body", fileOf(body), "--header", header, ...more], around);

describe.each(["verify", "explain"])("tryon-webhooks %s", (verb) => {
  it("prints ok and the event, with exit code 0", async () => {
    const ended = await command([verb, "--body", "-", "--header", header], {
      stdin: eventBody,
      secret,
    });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const [first, ...rest] = ended.stdout.split("\n");
    expect(first).toBe("ok");
    expect(JSON.parse(rest.join("\n"))).toEqual(JSON.parse(eventBody));
  });

  it("prints one line of JSON with --json", async () => {
    const { code, stdout } = await check(verb, eventBody, { secret }, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, secretIndex: 0 });
    expect(stdout.split("\n")).toHaveLength(2);
  });

  it.each([
    ["CRLF", "\r\n", ""],
    ["LF", "\n", ""],
    ["a line break of an editor after it", "\r\n", "\n"],
  ])("reads a recorded request with %s", async (_, lineBreak, tail) => {
    const length = Buffer.byteLength(eventBody);
    const head = ["POST /hook HTTP/1.1", "Host: shop.example", header, `Content-Length: ${length}`];
    const stdin = `${head.join(lineBreak)}${lineBreak}${lineBreak}${eventBody}${tail}`;
    expect(await command([verb, "--request", "-"], { stdin, secret })).toMatchObject({ code: 0 });
  });

  it("reads secrets from files without their last line break", async () => {
    const files = [fileOf("whsec_a"), fileOf(`${secret}\n`)];
    const flags = files.flatMap((path) => ["--secret-file", path]);
    const checked = await check(verb, eventBody, { secret: "whsec_b" }, ...flags);
    expect(checked).toMatchObject({ code: 0 });
  });

  it("has exit code 1 for a rejected delivery, and prints no part of it", async () => {
    const ended = await check(verb, spaced, { secret: ` ${secret}` });
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(ended.stdout).toMatch(/^signature_mismatch: No secret matches/);
    expect(leaked(ended.stdout, [secret, signature.slice(7), "job_7Hk2mQ9x"])).toEqual([]);
  });

  it("has exit code 1 without a secret", async () => {
    const ended = await check(verb, eventBody, {});
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stdout).toMatch(/^invalid_secret: [^\n]+TRYON_WEBHOOK_SECRET or --secret-file/);
  });
});

it("escapes control characters of a terminal in an event", async () => {
  const body = '{"event":"a\u009b2J\u202E","job_id":"j","x":"\\u001b[31m"}';
  const line = `X-Service-Signature: ${signatureOf(body)}`;
  const { stdout } = await command(["verify", "--body", fileOf(body), "--header", line], {
    secret,
  });
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  expect(JSON.parse(stdout.slice("ok\n".length))).toMatchObject({ event: "a\u009b2J\u202E" });
});

describe("tryon-webhooks explain", () => {
  it.each([
    [/white space.* \[secret_padded\]\n {2}Remove them/, eventBody, `"${secret}"`],
    [/again \(compact\)\. \[body_rewritten\]\n {2}Pass the bytes/, spaced, secret],
  ])("prints the cause and its fix: %s", async (expected, body, given) => {
    const { stdout } = await check("explain", body, { secret: given });
    expect(stdout).toMatch(expected);
    expect(stdout).not.toContain("Perhaps");
  });

  it("prints likely causes as such", async () => {
    const { stdout } = await check("explain", spaced, { secret: "svc_live_abc" });
    expect(stdout).toContain("Perhaps: The secret is an API key. [secret_is_api_key]");
    expect(stdout).toContain("[nothing_fits]");
  });

  it("tries the secrets of other keys", async () => {
    const flags = ["--other-secret-file", fileOf("whsec_a"), "--other-secret-file", "-", "--json"];
    const around = { stdin: secret, secret: "whsec_b" };
    const { code, stdout } = await check("explain", eventBody, around, ...flags);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ findings: [{ cause: "secret_of_other_key" }] });
    expect(stdout).toContain("otherSecrets[1]");
  });
});

it("rejects a header with thousands of spaces in linear time", async () => {
  const request = `POST /hook HTTP/1.1\r\nA:${" ".repeat(4_000)}\rx\r\n\r\n{}`;
  const ended = await command(["explain", "--request", fileOf(request)], { secret });
  expect(ended).toMatchObject({ code: 2, stdout: "" });
  expect(ended.stderr).toContain('not of the form "Name: value"');
});
