import { getEventListeners, once } from "node:events";
import { Agent, createServer } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

import { cases, seed } from "@tryon/test-kit/cases";
import { startProgram } from "@tryon/test-kit/start-program";
import { expect, it, vi } from "vitest";

import { isTryOnError, TryOn } from "../index.ts";
import { accountBody, httpServer, listen } from "../../test/http-server.ts";
import { seededRandom } from "../../test/seeded-random.ts";
import { input } from "../../test/service.ts";

const count = cases(10_000);

/** Runs code that has the class `TryOn`. */
async function runWithClient(code: string, options?: Parameters<typeof startProgram>[2]) {
  const source = `import { TryOn } from ${JSON.stringify(new URL("../index.ts", import.meta.url))}; ${code}`;
  const args = ["--conditions=@tryon/source", "--input-type=module", "-e", source];
  const program = startProgram(process.execPath, args, options);
  await program.ended;
  return program;
}

it(`leaves no listener and no connection after ${count} aborts at any moment`, async () => {
  const random = seededRandom(seed);
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    // Responds before, in or after the upload, in one or two parts, or never.
    const kind = random();
    const respond = async () => {
      if (kind > 0.9) return;
      response.writeHead(kind > 0.8 ? 402 : 200, { "content-type": "application/json" });
      const text = request.method === "GET" ? accountBody : '{"job_id":"job_1","status":"queued"}';
      response.write(text.slice(0, 9));
      if (kind > 0.4) await turn();
      response.end(text.slice(9));
    };
    if (kind < 0.2) void respond();
    else request.on("end", () => void respond());
    request.resume();
    request.on("error", () => undefined);
  });
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  const agent = new Agent({ keepAlive: true });
  const tryon = new TryOn({
    apiKey: "svc_test_1",
    baseUrl: await listen(server),
    agent,
    retries: 1,
  });
  const photo = new Uint8Array(400_000);
  const abortOne = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const call =
      random() < 0.5
        ? tryon.account.get({ signal })
        : tryon.submit({ person: photo, garments: input.garments }, { signal, validate: false });
    const ended = call.catch((error: unknown) => error);
    for (let turns = random() * 12; turns > 0; turns -= 1) await turn();
    controller.abort();
    await ended;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  };
  for (let done = 0; done < count; done += 10)
    await Promise.all(Array.from({ length: 10 }, abortOne));
  const used = () => Object.values(agent.sockets).flat().length;
  await vi.waitFor(() => expect(used()).toBe(0), { timeout: 20_000 });
  expect(Object.values(agent.requests).flat()).toEqual([]);
  agent.destroy();
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 20_000 });
});

it("proves that nothing happened only if a server can never get the whole body", async () => {
  const random = seededRandom(seed);
  const proofs = { proven: 0, unknown: 0 };
  for (let run = 0; run < cases(200); run += 1) {
    const size = Math.ceil(10 ** (5 + 2 * random()));
    // Bytes after which the connection is reset: often at the end, or never, with a reader that begins too late.
    const kind = random();
    const resetAt = kind < 0.3 ? Infinity : kind < 0.6 ? random() * size : size * 1.333;
    let received = "";
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("close", () => server.close());
      if (resetAt === Infinity) setTimeout(() => socket.resume(), 200);
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("latin1");
        if (received.length >= resetAt) socket.resetAndDestroy();
      });
      if (resetAt === Infinity) socket.pause();
    });
    const closed = once(server, "close");
    const settings = { retries: 0, attemptTimeout: 100, validate: false };
    const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: await listen(server), ...settings });
    const tryOn = { person: new Uint8Array(size), garments: input.garments };
    const error: unknown = await tryon.submit(tryOn).catch((thrown: unknown) => thrown);
    const isUnknown = isTryOnError(error, "outcome_unknown");
    tryon.close();
    await closed;
    const [head = "", body = ""] = received.split(/\r\n\r\n(.*)/s);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect({ isProof: isUnknown || body.length < length }).toEqual({ isProof: true });
    proofs[isUnknown ? "unknown" : "proven"] += 1;
  }
  expect(Math.min(proofs.proven, proofs.unknown)).toBeGreaterThan(0);
});

it("makes Node load fetch neither at the import nor in a call", async () => {
  const { url } = await httpServer((response) => response.end(accountBody));
  const { text } = await runWithClient(`
    const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: "${url}" });
    const { credits_remaining } = await tryon.account.get();
    const modules = process.moduleLoadList.filter((name) => /undici/.test(name));
    console.log(JSON.stringify({ credits_remaining, modules }));
    tryon.close();`);
  expect(JSON.parse(text)).toEqual({ credits_remaining: 5, modules: [] });
});

it.each([
  { http_proxy: "proxy", no_proxy: "x.example" },
  { http_proxy: "proxy", no_proxy: "x.example", NO_PROXY: "localhost,127.0.0.1,::1" },
  { HTTP_PROXY: "proxy", NO_PROXY: "x.example" },
  { HTTP_PROXY: "proxy", http_proxy: "", no_proxy: "" },
  { HTTP_PROXY: "proxy", NODE_USE_ENV_PROXY: "1" },
  { http_proxy: "proxy", no_proxy: "x.example", NODE_USE_ENV_PROXY: "1" },
])("sends no request to this machine to the proxy of %j", async (variables) => {
  const { url } = await httpServer((response) => response.end(accountBody));
  const received: string[] = [];
  const proxy = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end(accountBody);
  });
  proxy.on("connect", ({ method, url: target }, socket) => {
    received.push(`${method} ${target}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const proxyUrl = await listen(proxy);
  const { port } = new URL(url);
  const code = `
    const options = { apiKey: "svc_test_1", retries: 0, allowInsecure: true };
    for (const host of ["127.0.0.1", "localhost", "127.0.0.2", "remote.example"]) {
      const tryon = new TryOn({ ...options, baseUrl: \`http://\${host}:${port}\` });
      await tryon.account.get().then(() => console.log(host), () => undefined);
      tryon.close();
    }`;
  const env = { PATH: process.env["PATH"], ...variables };
  const { output } = await runWithClient(code, {
    env: JSON.parse(JSON.stringify(env).replaceAll('"proxy"', JSON.stringify(proxyUrl))),
  });
  expect(output.stdout).toMatch(/^127\.0\.0\.1$/m);
  expect(received).toHaveLength(1);
  expect(received[0]).toContain("remote.example");
});
