import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, onTestFinished, test } from "vitest";

import { createMock } from "../mock.ts";
import { tryOn } from "../../test/caller.ts";
import { command, commandWith } from "../../test/command.ts";
import { receiver } from "../../test/receiver.ts";

interface Hook {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver on this machine that answers as it is told. */
async function listen(answer: (response: ServerResponse) => void) {
  const received: Hook[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts) });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const taken = (response: ServerResponse): void => void response.writeHead(204).end();

function trigger(to: string, ...options: readonly string[]) {
  return command("trigger", "tryon.completed", "--to", to, ...options);
}

function bodyOf(hook: Hook | undefined): Readonly<Record<string, unknown>> {
  // The body of an event is an object of JSON, or the test fails here.
  return JSON.parse(String(hook?.body)) as Record<string, unknown>;
}

function signature(secret: string, hook: Hook | undefined): string {
  return `sha256=${createHmac("sha256", secret)
    .update(hook?.body ?? "")
    .digest("hex")}`;
}

async function failure(to: string, ...options: readonly string[]): Promise<string> {
  const run = trigger(to, ...options);
  expect(await run.ended).toEqual({ code: 1, signal: null });
  expect(run.stderr()).toMatch(/^tryon-mock: [^\n]+\n$/);
  return run.stderr();
}

describe("tryon-mock trigger", () => {
  test("sends one signed event and prints it, and how it was received", async () => {
    const { url, received } = await listen(taken);
    const run = trigger(url);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(received).toHaveLength(1);
    const [hook] = received;
    const body = bodyOf(hook);
    expect(body).toEqual({
      event: "tryon.completed",
      job_id: expect.stringMatching(/^job_[a-zA-Z0-9]{24}$/),
      status: "succeeded",
      result_url: expect.stringContaining(`/results/${String(body["job_id"])}.png?expires=`),
      error_code: null,
      error_message: null,
      duration_ms: expect.any(Number),
      completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(hook?.headers).toMatchObject({
      "content-type": "application/json",
      "x-service-signature": signature("whsec_mock", hook),
      "x-service-event": "tryon.completed",
      "x-service-job-id": body["job_id"],
    });
    expect(run.stdout()).toContain(`POST ${url}\n`);
    expect(run.stdout()).toContain(`x-service-signature: ${signature("whsec_mock", hook)}\n`);
    expect(run.stdout()).toContain(`\n${String(hook?.body)}\n`);
    expect(run.stdout()).toMatch(/\n204 after \d+ ms\n$/);
    expect(run.stdout()).not.toContain("whsec");
    expect(run.stderr()).toBe("");
  });

  test("sends a failure under another secret, for a job of one's own", async () => {
    const { url, received } = await listen(taken);
    const options = ["--status", "failed", "--job-id", "job_A1", "--error-message", "zu groß 👗"];
    const run = trigger(url, ...options, "--secret", "whsec_other");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(bodyOf(received[0])).toMatchObject({
      job_id: "job_A1",
      status: "failed",
      result_url: null,
      error_code: "generation_failed",
      error_message: "zu groß 👗",
    });
    expect(received[0]?.headers["x-service-signature"]).toBe(signature("whsec_other", received[0]));
    expect(run.stdout()).not.toContain("whsec");
  });

  test("signs with the secret of its environment", async () => {
    const { url, received } = await listen(taken);
    const environment = { TRYON_WEBHOOK_SECRET: "whsec_environment" };
    const run = commandWith(environment, "trigger", "tryon.completed", "--to", url);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(received[0]?.headers["x-service-signature"]).toBe(
      signature("whsec_environment", received[0]),
    );
  });

  test("sends what the server sends when a job ends", async () => {
    const hooks = receiver();
    const mock = createMock({ clock: "manual", sendWebhook: hooks.send });
    const submitted = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${mock.keys.live}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(tryOn({ webhook_url: "https://hooks.example/x" })),
    });
    expect(submitted.status).toBe(200);
    await mock.clock.advance("2s");
    const { url, received } = await listen(taken);
    await trigger(url).ended;
    expect(Object.keys(bodyOf(received[0]))).toEqual(Object.keys(hooks.received[0]?.body ?? {}));
    const names = [...(hooks.received[0]?.request.headers.keys() ?? [])];
    expect(Object.keys(received[0]?.headers ?? {})).toEqual(expect.arrayContaining(names));
    mock.close();
  });
});

describe("a receiver that does not take the event ends the command with 1 and one sentence", () => {
  test("when it answers with an error", async () => {
    const { url, received } = await listen((response) => void response.writeHead(500).end("no"));
    expect(await failure(url)).toMatch(/answered 500 after \d+ ms; only 2xx counts/);
    expect(received).toHaveLength(1);
  });

  test("when it redirects, which is not followed", async () => {
    const { url, received } = await listen((response) => {
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    expect(await failure(url)).toMatch(/answered 307 .* redirects to \/elsewhere/);
    expect(received).toHaveLength(1);
  });

  test("when it does not answer in time", async () => {
    const { url } = await listen(() => undefined);
    expect(await failure(url, "--timeout", "100")).toContain("did not answer within 0.1 s");
  });

  test("when it hangs up", async () => {
    const { url } = await listen((response) => void response.socket?.destroy());
    expect(await failure(url)).toContain("cut the connection without an answer");
  });

  test("when nothing listens", async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    // A server that listens on a port has an address of this form.
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    expect(await failure(`http://127.0.0.1:${port}/hook`)).toContain(
      `Cannot send the event to http://127.0.0.1:${port}: nothing listens there`,
    );
  });

  test("when there is no such host", async () => {
    expect(await failure("http://receiver.invalid/hook")).toContain(
      "Cannot send the event to http://receiver.invalid: ",
    );
  });
});
