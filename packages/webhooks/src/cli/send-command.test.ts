import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it } from "vitest";

import { safeVerify } from "../index.ts";
import { command, fileOf, receiver } from "../../test/command.ts";
import { secret, signatureOf } from "../../test/explained.ts";

const send = (to: string, ...options: readonly string[]) =>
  command(["send", "--to", to, ...options], { secret });

/** A receiver that verifies what it gets, and notes what came of it. */
async function verifying() {
  const outcomes: Array<Awaited<ReturnType<typeof safeVerify>>> = [];
  const { url, arrived } = await receiver(async (response, { headers, body }) => {
    const outcome = await safeVerify({ headers, body, secrets: secret });
    outcomes.push(outcome);
    response.writeHead(outcome.ok ? 204 : 400).end(outcome.ok ? "" : outcome.code);
  });
  return { url, arrived, outcomes };
}

describe("tryon-webhooks sign", () => {
  it("prints the value of the header and nothing else", async () => {
    const stdin = Buffer.from([0xff, 0, 0x0a]);
    expect(await command(["sign", "--body", "-"], { stdin, secret })).toEqual({
      code: 0,
      stdout: `${signatureOf(stdin)}\n`,
      stderr: "",
    });
    const { stdout } = await command(["sign", "--json", "--body", "-"], { stdin, secret });
    expect(JSON.parse(stdout)).toEqual({ signature: signatureOf(stdin) });
  });

  it("reads the secret from stdin", async () => {
    const argv = ["sign", "--body", fileOf("{}"), "--secret-file", "-"];
    const { stdout } = await command(argv, { stdin: `${secret}\r\n` });
    expect(stdout).toBe(`${signatureOf("{}")}\n`);
  });
});

describe("tryon-webhooks send", () => {
  it("sends an event that verifies, and says that it was taken", async () => {
    const { url, outcomes, arrived } = await verifying();
    expect(await send(url)).toEqual({
      code: 0,
      stdout: "204 after 0 ms. The service would count this as delivered.\n",
      stderr: "",
    });
    expect(outcomes).toMatchObject([{ ok: true, event: { status: "succeeded" } }]);
    expect(arrived[0]?.headers).toHaveProperty("x-service-event", "tryon.completed");
  });

  it("sends the event that was asked for", async () => {
    const { url, outcomes } = await verifying();
    await send(url, "--status", "failed", "--job-id", "job_1");
    await send(url, "--event", "credits.low", "--job-id", "job_2");
    expect(outcomes).toMatchObject([
      { event: { event: "tryon.completed", job_id: "job_1", status: "failed" } },
      { event: { event: "credits.low", job_id: "job_2", status: null } },
    ]);
  });

  it("sends a body as it is", async () => {
    const { url, arrived, outcomes } = await verifying();
    const body = '{ "event":"tryon.completed",\n"job_id":"job_1","status":"failed" }\n';
    expect(await send(url, "--body", fileOf(body))).toMatchObject({ code: 0 });
    expect(String(arrived[0]?.body)).toBe(body);
    expect(outcomes).toMatchObject([{ ok: true }]);
  });

  it("sends the same several times, a line for each", async () => {
    const { url, arrived } = await verifying();
    const { stdout } = await send(url, "--repeat", "3", "--json");
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(
      Array.from({ length: 3 }, () => ({
        status: 204,
        took: 0,
        text: "",
        ok: true,
        meaning: expect.any(String),
      })),
    );
    expect(new Set(arrived.map(({ body }) => String(body))).size).toBe(1);
    expect(arrived).toHaveLength(3);
  });

  it.each([
    ["body", "signature_mismatch"],
    ["rewritten", "signature_mismatch"],
    ["signature", "signature_mismatch"],
    ["secret", "signature_mismatch"],
    ["prefix", "malformed_signature"],
    ["base64", "malformed_signature"],
    ["missing", "missing_signature"],
    ["job-id", "header_mismatch"],
  ])("breaks one thing, which has to be refused: %s", async (breakage, code) => {
    const { url, outcomes } = await verifying();
    const ended = await send(url, "--break", breakage);
    expect(outcomes).toMatchObject([{ ok: false, code }]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain("rejected it, as it should");
    expect(ended.stdout).toContain(code);
  });

  it.each([404, 405])("does not take %i for a refusal: nothing has verified it", async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    expect(await send(url, "--break", "signature")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Nothing receives events there"),
    });
  });

  it("ends with 1 for a receiver that takes a broken event, or breaks at it", async () => {
    const lax = await receiver((response) => response.writeHead(200).end());
    expect(await send(lax.url, "--break", "body")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("it does not verify"),
    });
    const frail = await receiver((response) => response.writeHead(500).end());
    expect(await send(frail.url, "--break", "body")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Respond with 400"),
    });
  });
});

describe("an answer with 2xx that never ends counts, since its status has come", () => {
  it("of which the beginning is long", async () => {
    const { url } = await receiver((response) => response.writeHead(200).write("x".repeat(9_000)));
    const { code, stdout } = await send(url, "--timeout", "10m");
    expect({ code, length: stdout.match(/x+/)?.[0].length }).toEqual({ code: 0, length: 2_000 });
  });

  it("of which little comes in time", async () => {
    const { url } = await receiver((response) => response.writeHead(200).write("little"));
    const { code, stdout } = await send(url, "--timeout", "0.2s");
    expect({ code, end: stdout.split("\n")[1] }).toEqual({ code: 0, end: "little" });
  });
});

describe("an answer that the service does not count as received ends with 1 and says what follows", () => {
  const again = "retry after 1, 4 and 16 s";

  it("an error, whose beginning is shown", async () => {
    const long = `\u001b[31moops ${secret} ${"x".repeat(10_000)}`;
    const { url } = await receiver((response) => response.writeHead(500).end(long));
    const { code, stdout } = await send(url);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^500 after 0 ms\. Only 2xx counts\./);
    expect(stdout).toContain(again);
    expect(stdout).toContain("\\u001b[31moops [secret] xxx");
    expect(stdout.length).toBeLessThan(2_300);
  });

  it.each([
    ["letters that JSON escapes", 'whsec_"two"\\words\n'],
    ["only usual letters", secret],
  ])("an error that repeats a secret of %s, which is removed", async (_what, typed) => {
    const escaped = JSON.stringify(typed).slice(1, -1);
    const filler = "x".repeat(2_000 - typed.length * 3);
    const { url } = await receiver((response) =>
      response.writeHead(500).end(`${typed} ${escaped} ${filler}${typed}${typed.repeat(300)}`),
    );
    for (const flags of [[], ["--json"]]) {
      const ended = await command(["send", "--to", url, "--secret", typed, ...flags]);
      expect(ended).toMatchObject({ code: 1, stderr: "" });
      expect(ended.stdout).toContain("[secret] [secret] xxx");
      expect(ended.stdout).not.toContain(escaped);
      expect(ended.stdout.replaceAll("[secret]", "")).not.toContain("whsec");
      expect(ended.stdout.length).toBeLessThan(2_300);
    }
  });

  it("a redirect, which is not followed", async () => {
    const { url, arrived } = await receiver((response) =>
      response.writeHead(307, { location: "/elsewhere" }).end(),
    );
    const { code, stdout } = await send(url);
    expect(code).toBe(1);
    expect(stdout).toContain("the service follows no redirect");
    expect(stdout).toContain(again);
    expect(arrived).toHaveLength(1);
  });

  it("no answer in time", async () => {
    const { url } = await receiver(() => undefined);
    const { code, stdout } = await send(url, "--timeout", "50");
    expect(code).toBe(1);
    expect(stdout).toContain("did not respond within 0.05 s");
    expect(stdout).toContain(again);
  });

  it("a connection that is cut", async () => {
    const { url } = await receiver((response) => response.socket?.destroy());
    expect(await send(url)).toMatchObject({ code: 1, stdout: expect.stringContaining("closed") });
  });

  it("a host that does not exist", async () => {
    const { code, stdout } = await send("http://receiver.invalid/hook", "--allow-http");
    expect(code).toBe(1);
    expect(stdout).toMatch(/could not be sent: (?:the host does not exist|the DNS lookup failed)/);
    expect(stdout).toContain(again);
  });

  it("no server", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    // A server on a port has this form of `address()`.
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const ended = await send(`http://127.0.0.1:${port}/hook`, "--json");
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ok: false,
      problem: expect.stringContaining("nothing listens there"),
    });
  });

  it("a body other than JSON cannot be rewritten", async () => {
    const argv = ["--break", "rewritten", "--body", fileOf("text")];
    expect(await send("http://localhost:1", ...argv)).toMatchObject({ code: 2 });
  });
});
