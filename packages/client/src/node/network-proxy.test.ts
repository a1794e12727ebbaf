import { readFileSync } from "node:fs";
import { createServer, type ClientRequest } from "node:http";
import https from "node:https";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { Budget, TryOn, type TryOnOptions } from "../index.ts";
import { accountBody, closedUrl, httpServer, listen } from "../../test/http-server.ts";
import { failure, input } from "../../test/service.ts";

const pem = readFileSync(new URL("../../test/self-signed.pem", import.meta.url));
const secureUrl = "https://tryon.example";
const plainUrl = "http://tryon.example";

function client(baseUrl: string, options: TryOnOptions = {}): TryOn {
  const tryon = new TryOn({
    apiKey: "svc_test_1",
    baseUrl,
    random: () => 0.001,
    allowInsecure: true,
    ...options,
  });
  onTestFinished(() => tryon.close());
  return tryon;
}

/** Sets variables until the end of the test. The others of a proxy are empty. */
function setEnvironment(variables: Readonly<Record<string, string>>): void {
  const names = ["http_proxy", "https_proxy", "no_proxy"];
  for (const name of names.flatMap((one) => [one, one.toUpperCase()])) vi.stubEnv(name, "");
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Starts a proxy that responds to CONNECT as given, and returns its URL with a password. */
async function connectProxy(onConnect: (socket: Socket, count: number) => void) {
  let count = 0;
  const server = createServer();
  server.on("connect", (_request, socket: Socket) => {
    socket.on("error", () => undefined);
    onConnect(socket, (count += 1));
  });
  const url = await listen(server);
  const withPassword = url.replace("//", "//user:hunter2@");
  return { url, withPassword, count: () => count };
}

const respondWith = (status: string) => (socket: Socket) =>
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
/** Starts a TLS server, and a proxy whose tunnels all lead to it. */
async function tunnels() {
  const server = https.createServer({ key: pem, cert: pem }, (_request, response) =>
    response.end(accountBody),
  );
  const port = Number(new URL(await listen(server)).port);
  const proxy = await connectProxy((socket) => {
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => undefined);
  });
  return { ...proxy, port };
}

describe("a variable of a proxy", () => {
  it.each([
    ["HTTPS_PROXY", "proxy.example:3128"],
    ["HTTPS_PROXY", "user:hunter2@proxy.example:3128"],
    ["https_proxy", "socks5://user:hunter2@proxy.example:1080"],
    ["HTTPS_PROXY", "HTTP://proxy.example:3128"],
    ["HTTPS_PROXY", "//proxy.example"],
    ["HTTPS_PROXY", "http://"],
    ["HTTPS_PROXY", "http://user:hunter2@proxy.example:99999"],
    ["HTTPS_PROXY", "http://user:hunter2%@proxy.example:3128"],
    ["HTTP_PROXY", "socks5h://proxy.example:1080"],
    ["http_proxy", "proxy.example"],
  ])("%s=%s is an error before anything is sent", async (name, value) => {
    setEnvironment({ [name]: value });
    const budget = new Budget({ maxCredits: 100 });
    const tryon = client(/https/i.test(name) ? secureUrl : plainUrl, { budget });
    for (const call of [tryon.account.get(), tryon.submit(input)]) {
      const error = await failure(call);
      expect(error).toMatchObject({ code: "invalid_config" });
      const text = `${String(error)} ${JSON.stringify(error)}`;
      expect(text).toContain(`${name} must be`);
      expect(text).toContain("http://");
      expect(text).not.toContain("hunter2");
      expect(text).toContain(/^socks5h?:/.exec(value)?.[0] ?? "");
    }
    expect(budget.reserved).toBe(0);
  });

  it.each([
    { HTTP_PROXY: "proxy.example:3128", NO_PROXY: "0.0.0.0" },
    { HTTP_PROXY: "proxy.example:3128", NO_PROXY: "x.example, *" },
    { HTTPS_PROXY: "proxy.example:3128" },
  ])("has no effect if it is not used: %j", async (variables) => {
    setEnvironment(variables);
    const { url, got } = await httpServer((response) => response.end(accountBody));
    // This machine, which is not known as such.
    await client(url.replace("127.0.0.1", "0.0.0.0")).account.get();
    // Hosts of this machine are never reached through a proxy.
    await client(url).account.get();
    expect(got).toHaveLength(2);
  });
});

const failureAt = (tryon: TryOn) => failure(tryon.submit(input));

describe("an error names the proxy", () => {
  it.each([
    ["407 Proxy Authentication Required", 407, 1],
    ["403 Forbidden", 403, 1],
    ["502 Bad Gateway", 502, 4],
    ["429 Too Many Requests", 429, 4],
  ])("that responds to CONNECT with %s", async (status, code, attempts) => {
    const proxy = await connectProxy(respondWith(status));
    setEnvironment({ HTTPS_PROXY: proxy.withPassword });
    const error = await failureAt(client(secureUrl));
    expect(error).toMatchObject({
      code: "connection_failed",
      attempts: { length: attempts },
      cause: { code: "ERR_PROXY_TUNNEL" },
    });
    expect(String(error)).toContain(`${proxy.url} (HTTPS_PROXY) responded with ${code}`);
    expect(String(error)).not.toContain("hunter2");
    expect(proxy.count()).toBe(attempts);
    const read = await failure(client(secureUrl).account.get());
    expect(read).toMatchObject({ code: "connection_failed", attempts: { length: attempts } });
  });

  it("that closes the connection", async () => {
    const proxy = await connectProxy((socket) => socket.destroy());
    setEnvironment({ HTTPS_PROXY: proxy.withPassword });
    const error = await failureAt(client(secureUrl));
    expect(error).toMatchObject({ code: "connection_failed", attempts: { length: 4 } });
    expect(String(error)).toContain(`${proxy.url} (HTTPS_PROXY)`);
  });

  it("that never responds", async () => {
    const open = new Set<Socket>();
    const proxy = await connectProxy((socket) => {
      open.add(socket);
      socket.resume().on("end", () => open.delete(socket));
    });
    setEnvironment({ HTTPS_PROXY: proxy.withPassword });
    const error = await failureAt(client(secureUrl, { attemptTimeout: 50, retries: 0 }));
    expect(error).toMatchObject({ code: "timed_out" });
    expect(String(error)).toContain(`${proxy.url} (HTTPS_PROXY)`);
    await vi.waitFor(() => expect(open.size).toBe(0));
  });

  it.each([
    ["https_proxy", secureUrl],
    ["HTTP_PROXY", plainUrl],
  ])("that is dead, of %s", async (name, url) => {
    const dead = await closedUrl();
    setEnvironment({ [name]: dead.replace("//", "//user:hunter2@") });
    const error = await failureAt(client(url));
    expect(error).toMatchObject({ code: "connection_failed", cause: { code: "ECONNREFUSED" } });
    expect(String(error)).toContain(`${dead} (${name})`);
    expect(String(error)).not.toContain("hunter2");
  });

  it("and the option for the CA if a certificate is not trusted", async () => {
    const proxy = await tunnels();
    setEnvironment({ HTTPS_PROXY: proxy.withPassword });
    const error = await failureAt(client(secureUrl));
    expect(error).toMatchObject({
      code: "connection_failed",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
    for (const part of [`${proxy.url} (HTTPS_PROXY)`, "agent", "ca", "proxyEnv"])
      expect(String(error)).toContain(part);
    const proxyEnv = { HTTPS_PROXY: proxy.withPassword };
    const settings = { ca: pem, proxyEnv };
    const agent = new https.Agent(settings);
    onTestFinished(() => agent.destroy());
    const account = await client(`https://127.0.0.1:${proxy.port}`, { agent }).account.get();
    expect([account.credits_remaining, proxy.count()]).toEqual([5, 5]);
  });

  it("or only the option if there is none", async () => {
    setEnvironment({});
    const { port } = await tunnels();
    const error = await failureAt(client(`https://127.0.0.1:${port}`, { retries: 0 }));
    expect(String(error)).toMatch(/pass.*\bagent\b.*\bca\b/);
    expect(String(error)).not.toContain("proxy");
  });
});

const refuse = () =>
  httpServer((response) => response.writeHead(407, { "proxy-authenticate": "Basic" }).end("no"));

describe("a 407", () => {
  it("of the proxy that the client uses proves that nothing was sent on", async () => {
    const proxy = await refuse();
    setEnvironment({ HTTP_PROXY: proxy.url.replace("//", "//user:hunter2@") });
    const error = await failure(client(plainUrl).submit(input));
    expect(error).toMatchObject({ code: "connection_failed", attempts: { length: 1 } });
    expect(String(error)).toContain(`${proxy.url} (HTTP_PROXY) responded with 407`);
    expect(proxy.got).toHaveLength(1);
  });

  it("of any other server proves nothing", async () => {
    const server = await refuse();
    setEnvironment({});
    const error = await failure(client(server.url).submit(input));
    expect(error).toMatchObject({ code: "outcome_unknown", attempts: { length: 4 } });
  });

  it("to CONNECT is also read from the agent of a package", async () => {
    setEnvironment({});
    /** Agent that responds to a request with the response to CONNECT, as `https-proxy-agent` does. */
    class ProxyAgent extends https.Agent {
      readonly proxy = new URL("http://user:hunter2@proxy.example:3128");

      async addRequest(request: ClientRequest): Promise<void> {
        await turn();
        request.emit("proxyConnect", { statusCode: 407 });
        const socket = new Duplex({
          read: () => undefined,
          write: (_chunk, _encoding, done) => done(),
        });
        request.onSocket(socket as Socket);
        request.once("socket", () => {
          socket.push("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
          socket.push(null);
        });
      }
    }
    const error = await failure(client(secureUrl, { agent: new ProxyAgent() }).submit(input));
    expect(error).toMatchObject({ code: "connection_failed", attempts: { length: 1 } });
    expect(String(error)).toContain("http://proxy.example:3128 (agent) responded with 407");
  });
});
