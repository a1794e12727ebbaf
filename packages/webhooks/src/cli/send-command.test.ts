import { createServer, type ServerResponse } from "node:http";

import { describe, expect, it } from "vitest";
import { startListening } from "@tryon/test-kit/listen";

import { createReceiver, safeVerify } from "../index.ts";
import { command, fileOf, receiver } from "../../test/command.ts";
import { secret, signatureOf } from "../../test/explained.ts";

const send = (to: string, ...options: readonly string[]) =>
  command(["send", "--to", to, ...options], { secret });

/** Starts a receiver that verifies each request, and collects the outcomes. */
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
  it("prints only the value of the header", async () => {
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
  it("sends a valid event, and reports that it was delivered", async () => {
    const { url, outcomes, arrived } = await verifying();
    expect(await send(url)).toEqual({
      code: 0,
      stdout:
        "204 after 0 ms. The service would count this as delivered. It answered 2xx; not recognized as a receiver of this SDK.\n",
      stderr: "",
    });
    expect(outcomes).toMatchObject([{ ok: true, event: { status: "succeeded" } }]);
    expect(arrived[0]?.headers).toHaveProperty("x-service-event", "tryon.completed");
  });

  it("sends the event of the options", async () => {
    const { url, outcomes } = await verifying();
    await send(url, "--status", "failed", "--job-id", "job_1");
    await send(url, "--event", "credits.low", "--job-id", "job_2");
    expect(outcomes).toMatchObject([
      { event: { event: "tryon.completed", job_id: "job_1", status: "failed" } },
      { event: { event: "credits.low", job_id: "job_2", status: null } },
    ]);
  });

  it("sends a body unchanged", async () => {
    const { url, arrived, outcomes } = await verifying();
    const body = '{ "event":"tryon.completed",\n"job_id":"job_1","status":"failed" }\n';
    expect(await send(url, "--body", fileOf(body))).toMatchObject({ code: 0 });
    expect(String(arrived[0]?.body)).toBe(body);
    expect(outcomes).toMatchObject([{ ok: true }]);
  });

  it("sends the same event several times, and prints a line for each", async () => {
    const { url, arrived } = await verifying();
    const { stdout } = await send(url, "--repeat", "3", "--json");
    const answer = { status: 204, took: 0, responder: "other", text: "" };
    const result = { ...answer, ok: true, meaning: expect.any(String) };
    const lines = stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([result, result, result]);
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
  ])("makes one part wrong, which the receiver rejects: %s", async (breakage, code) => {
    const { url, outcomes } = await verifying();
    const ended = await send(url, "--break", breakage);
    expect(outcomes).toMatchObject([{ ok: false, code }]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain("rejected it, as it should");
    expect(ended.stdout).toContain(code);
  });

  it.each([
    [404, "Nothing receives events there"],
    [405, "Nothing receives events there"],
    [200, "it does not verify"],
    [500, "Respond with 400"],
  ])("has exit code 1 if the response to a wrong event is %i", async (status, meaning) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    const stdout = expect.stringContaining(meaning);
    expect(await send(url, "--break", "signature")).toMatchObject({ code: 1, stdout });
  });
});

describe("a 2xx response", () => {
  const html = { "content-type": "text/html; charset=utf-8" };

  it.each(["Text/HTML", "text/html; charset=utf-8", "application/xhtml+xml"])(
    "of a page loses the event: %s",
    async (type) => {
      const { url } = await receiver((response) =>
        response.writeHead(200, { "content-type": type }).end("<!doctype html>"),
      );
      const page = "a page answered, not a receiver; the service will not send it again";
      for (const options of [[], ["--break", "signature"], ["--strict"]]) {
        const stdout = expect.stringContaining(page);
        expect(await send(url, ...options)).toMatchObject({ code: 1, stdout });
      }
      const { stdout } = await send(url, "--json");
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, responder: "page" });
    },
  );

  it("of a page with an error status is retried", async () => {
    const { url } = await receiver((response) => response.writeHead(500, html).end("<html>"));
    const stdout = expect.stringContaining("retry");
    expect(await send(url)).toMatchObject({ code: 1, stdout });
  });

  it("of another server is a notice, and a failure with --strict", async () => {
    const { url } = await receiver((response) => response.writeHead(200).end("{}"));
    const stdout = expect.stringContaining("not recognized as a receiver of this SDK");
    expect(await send(url)).toMatchObject({ code: 0, stdout });
    expect(await send(url, "--strict")).toMatchObject({ code: 1, stdout });
  });

  it("of a receiver of this SDK is recognized, at success and at refusal", async () => {
    const receive = createReceiver({
      secrets: secret,
      onCompleted: () => undefined,
      onError: () => undefined,
    });
    const { url } = await receiver(async (response, { headers, body }) => {
      // No header of the command occurs twice.
      const given = headers as Record<string, string>;
      const init = { method: "POST", headers: given, body: new Uint8Array(body) };
      const { status, headers: own } = await receive(new Request("http://localhost", init));
      response.writeHead(status, Object.fromEntries(own)).end();
    });
    const text = "204 after 0 ms. The service would count this as delivered.\n";
    expect(await send(url, "--strict")).toEqual({ code: 0, stdout: text, stderr: "" });
    const refused = await send(url, "--break", "signature", "--json");
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: 400, responder: "receiver" });
  });
});

describe("a 2xx response that never ends counts, because its status has arrived", () => {
  it("with a long beginning", async () => {
    const { url } = await receiver((response) => response.writeHead(200).write("x".repeat(20_000)));
    const { code, stdout } = await send(url, "--timeout", "10m");
    expect({ code, length: stdout.match(/x{3,}/)?.[0].length }).toEqual({ code: 0, length: 2_000 });
  });

  it("with a short beginning, at the timeout", async () => {
    const { url } = await receiver((response) => response.writeHead(200).write("little"));
    const { code, stdout } = await send(url, "--timeout", "0.2s");
    expect({ code, end: stdout.split("\n")[1] }).toEqual({ code: 0, end: "little" });
  });
});

describe("an attempt that the service counts as failed has exit code 1, and reports the retries", () => {
  const again = "retry after 1, 4 and 16 s";

  it("an error, with the beginning of its text", async () => {
    const long = `\u001b[31moops ${secret} ${"x".repeat(10_000)}`;
    const { url } = await receiver((response) => response.writeHead(500).end(long));
    const { code, stdout } = await send(url);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^500 after 0 ms\. Only 2xx counts\..+retry after 1, 4 and 16 s/);
    expect(stdout).toMatch(/\\u001b\[31moops \[secret\] +xxx/);
    expect(stdout.length).toBeLessThan(2_300);
  });

  it.each([
    ["characters that JSON escapes", 'whsec_"two"\\words'],
    ["other characters", secret],
  ])("an error that repeats a secret of %s, without the secret", async (_what, typed) => {
    const escaped = JSON.stringify(typed).slice(1, -1);
    const filler = "x".repeat(2_000 - typed.length * 3);
    const { url } = await receiver((response) =>
      response.writeHead(500).end(`${typed} ${escaped} ${filler}${typed}${typed.repeat(1_000)}`),
    );
    for (const flags of [[], ["--json"]]) {
      const ended = await command(["send", "--to", url, ...flags], { secret: typed });
      expect(ended).toMatchObject({ code: 1, stderr: "" });
      expect(ended.stdout).toMatch(/\[secret\] +\[secret\] +xxx/);
      expect(ended.stdout).not.toContain(escaped);
      expect(ended.stdout.replaceAll("[secret]", "")).not.toContain("whsec");
      expect(ended.stdout.length).toBeLessThan(2_300);
    }
  });

  it.each<[string, (response: ServerResponse) => unknown, string, string]>([
    [
      "a redirect, which is not followed",
      (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
      "10s",
      "the service follows no redirect",
    ],
    ["no response in time", () => undefined, "50", "did not respond within 0.05 s"],
    ["a closed connection", (response) => response.socket?.destroy(), "10s", "closed"],
  ])("%s", async (_what, respond, timeout, expected) => {
    const { url, arrived } = await receiver(respond);
    const stdout = expect.stringMatching(`${expected}.*${again}`);
    expect(await send(url, "--timeout", timeout)).toMatchObject({ code: 1, stdout });
    // A busy machine can reach a short timeout before the request arrives.
    expect(arrived.length).toBeLessThanOrEqual(1);
  });

  it("a host that does not exist", async () => {
    const sent = send("http://receiver.invalid/hook", "--allow-http");
    const reason = "(?:the host does not exist|the DNS lookup failed)";
    const stdout = expect.stringMatching(`could not be sent: ${reason}.*${again}`);
    expect(await sent).toMatchObject({ code: 1, stdout });
  });

  it("no server", async () => {
    const { url, close } = await startListening(createServer());
    await close();
    const ended = await send(`${url}/hook`, "--json");
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
