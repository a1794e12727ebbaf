import { readFile } from "node:fs/promises";
import { Agent as HttpAgent, createServer } from "node:http";
import { Agent as HttpsAgent, type AgentOptions } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";

import { startGateway } from "@tryon/test-kit/gateways";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { root } from "@tryon/test-kit/repository";
import { serveMock } from "@tryon/test-kit/serve-mock";
import { describe, expect, it, onTestFinished } from "vitest";

import { Budget, isTryOnError, TryOn, type TryOnError } from "@tryon/client";

import {
  checkDeployment,
  checkWebhooks,
  guideConfig,
  input,
  listen,
  openDeployment,
  plainConfig,
  transports,
  upload,
} from "./gateways.ts";

const reverse = ["nginx", "haproxy", "apache", "caddy", "varnish"] as const;
type Reverse = (typeof reverse)[number];

const installed: Reverse[] = [];
for (const gateway of reverse) if (await isInstalled(gateway)) installed.push(gateway);
const timeout = 600_000;

/** Try-on that ends after a time in milliseconds. */
const slow = (time: number) => ({ ...input, prompt: `mock:slow=${time}` });

async function errorOf(work: Promise<unknown>): Promise<TryOnError | undefined> {
  try {
    await work;
  } catch (error) {
    if (isTryOnError(error)) return error;
    throw error;
  }
  return undefined;
}

/** Gateways that buffer uploads, and some that stream them. */
const uploading = [
  ...installed.map((name) => [name, "by default", ""] as const),
  ["nginx", "without a buffer", "proxy_request_buffering off; proxy_http_version 1.1;"] as const,
];

it.each(uploading)("%s %s never completes an upload that broke off", async (name, _how, site) => {
  const ended: string[] = [];
  let received = 0;
  const service = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => (received += chunk.length));
    request.on("end", () => {
      ended.push(`${request.method} ${request.complete}`);
      response.end("{}");
    });
    request.on("error", () => undefined);
  });
  const gateway = await startGateway(name, plainConfig(name, site), {
    port: await listen(service),
  });
  onTestFinished(() => gateway.stop());
  const { hostname, port } = new URL(gateway.url);
  const head = `POST /api/v1/tryon HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 900000\r\n\r\n`;
  for (const ending of ["end", "destroy", "resetAndDestroy"] as const) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(`${head}{"person_image_b64":"${"A".repeat(600_000)}`);
    // A gateway that buffers forwards nothing.
    const patience = Date.now() + 500;
    await expect.poll(() => received > 0 || Date.now() > patience).toBe(true);
    socket[ending]();
    received = 0;
  }
  // Comes after what the gateway had to forward.
  await fetch(gateway.url);
  expect(ended).toEqual(["GET true"]);
});

describe("gateways with the settings of the guide", () => {
  it.each(installed)(
    "%s passes uploads, results, webhooks and pages",
    { timeout },
    async (name) => {
      const deployment = await openDeployment(name, guideConfig(name));
      await checkDeployment(deployment);
      expect(await deployment.charged()).toBe(40);
    },
  );

  it("wait for a response of 70 seconds", { timeout }, async () => {
    const results = installed.map(async (name) => {
      const { client, charged } = await openDeployment(name, guideConfig(name));
      const { receipt } = await client().run(slow(70_000), { sync: true });
      return [name, receipt.attempts.map(({ status }) => status), await charged()];
    });
    expect(await Promise.all(results)).toEqual(installed.map((name) => [name, [200], 8]));
  });
});

/** Codes of the errors with default settings: an upload, a small try-on of a page, and an upload of a page. */
const defaults: Readonly<Record<Reverse, readonly (string | undefined)[]>> = {
  // Its limit is 1 MiB, and it replaces Host, so the proxy refuses the pages of its site.
  nginx: ["payload_too_large", "forbidden", "payload_too_large"],
  haproxy: [],
  apache: [undefined, "forbidden", "forbidden"],
  caddy: [],
  varnish: [],
};

describe("gateways with default settings", () => {
  it.each(installed)(
    "%s loses no webhook, and refuses without a charge",
    { timeout },
    async (name) => {
      const deployment = await openDeployment(name, plainConfig(name));
      const { client, visitor, webhookUrl, charged } = deployment;
      const [uploadCode, pageCode, pageUploadCode] = defaults[name];
      const jobs: string[] = [];
      let charges = 0;
      for (const options of transports) {
        const tryon = client(options);
        const { job, image } = await tryon.run(
          { ...slow(1_500), webhook_url: webhookUrl },
          { sync: false },
        );
        jobs.push(job.id);
        expect((await image.bytes()).length).toBeGreaterThan(0);
        expect((await errorOf(tryon.submit(upload)))?.code).toBe(uploadCode);
        charges += 1 + Number(!uploadCode);
      }
      expect((await errorOf(visitor().run(slow(1_500), { sync: false })))?.code).toBe(pageCode);
      expect((await errorOf(visitor().run(upload)))?.code).toBe(pageUploadCode);
      charges += Number(!pageCode) + Number(!pageUploadCode);
      expect(await charged()).toBe(8 * charges);
      await checkWebhooks(deployment, jobs);
    },
  );
});

const late = "<h1>Gone</h1>";
const elsewhere = "http://status.example/";
const caddyLimit = "transport http {\nresponse_header_timeout 1s\n}";

/** Time limits of a second, with the status of the gateway. */
const limits: readonly (readonly [Reverse, status: number, site: string, target: string])[] = [
  ["nginx", 504, "", "proxy_read_timeout 1s;"],
  ...[404, 405].map((status) => {
    const page = `error_page 504 =${status} @late; location @late { return ${status} "${late}"; }`;
    return ["nginx", status, page, "proxy_read_timeout 1s;"] as const;
  }),
  ["nginx", 302, `error_page 504 ${elsewhere};`, "proxy_read_timeout 1s;"],
  // Its error page is the service's own 404.
  ["nginx", 404, "error_page 504 = /late.html;", "proxy_read_timeout 1s;"],
  ["haproxy", 504, "", "timeout server 1s"],
  ["haproxy", 302, `errorloc 504 ${elsewhere}`, "timeout server 1s"],
  // It responds with 502 after its time limit.
  ["apache", 502, "ProxyTimeout 1", ""],
  ["apache", 302, `ProxyTimeout 1\nErrorDocument 502 ${elsewhere}`, ""],
  ["apache", 404, "ProxyTimeout 1\nErrorDocument 502 /late.html", ""],
  ["caddy", 504, "", caddyLimit],
  ["caddy", 404, `handle_errors {\nrespond "${late}" 404\n}`, caddyLimit],
  ["varnish", 503, "", ".first_byte_timeout = 1s;"],
];

describe("gateways that end a response after a second", () => {
  it.each(limits.filter(([name]) => installed.includes(name)))(
    "%s with %s: gets the job, or an unknown outcome with its credits reserved",
    { timeout },
    async (name, status, site, target) => {
      const forService = plainConfig(name, site, target);
      const { mock, client, charged } = await openDeployment(name, plainConfig(name), {
        forService,
      });
      for (const [index, options] of transports.entries()) {
        const before = 16 * index;
        const { receipt } = await client(options).run(slow(1_500), { sync: true });
        expect(receipt.attempts[0]?.status).toBe(status);
        expect(await charged()).toBe(before + 8);

        const budget = new Budget({ maxCredits: 8 });
        const hasty = client({ ...options, retries: 0 });
        const error = await errorOf(hasty.run(slow(600_000), { sync: true, budget }));
        const isOpen = isTryOnError(error, "outcome_unknown", "server_error", "unavailable");
        expect(await charged()).toBe(before + 16);
        expect(budget).toMatchObject({ spent: 0, reserved: 8 });
        await mock.clock.advance("15m");
        const job = isOpen ? await error.recover?.() : undefined;
        expect((await job?.result())?.job.status).toBe("succeeded");
        expect(await charged()).toBe(before + 16);
        expect(budget).toMatchObject({ spent: 8, reserved: 0 });
      }
    },
  );
});

/** Limits of 1 MiB for a body, with the code of the error. */
const sizes: readonly (readonly [Reverse, error: RegExp, site: string])[] = [
  ["nginx", /^payload_too_large/, ""],
  // It closes the connection with the response, which is lost. The hint has the likely reason.
  [
    "haproxy",
    /payload_too_large|limit/,
    "http-request deny deny_status 413 if { req.body_size gt 1048576 }",
  ],
  [
    "apache",
    /^payload_too_large/,
    'RewriteEngine On\nRewriteCond expr "%{HTTP:Content-Length} -gt 1048576"\nRewriteRule ^ - [R=413]',
  ],
  // Version 2.6 responds with 502 and no body.
  ["caddy", /^server_error/, "request_body {\nmax_size 1MiB\n}"],
  [
    "varnish",
    /^payload_too_large/,
    "if (std.integer(req.http.Content-Length, 0) > 1048576) { return (synth(413)); }",
  ],
];

describe("gateways that refuse large bodies", () => {
  it.each(sizes.filter(([name]) => installed.includes(name)))(
    "%s ends an upload in a clear error, without a charge",
    { timeout },
    async (name, expected, site) => {
      const { client, visitor, charged } = await openDeployment(name, plainConfig(name, site));
      const errors = [await errorOf(visitor().run(upload))];
      for (const options of transports) errors.push(await errorOf(client(options).submit(upload)));
      for (const error of errors) {
        expect(`${error?.code} ${error?.message} ${error?.hint}`).toMatch(expected);
      }
      expect(await charged()).toBe(0);
    },
  );
});

const credentials = "ada:secret@";
/** Debian's helper that accepts any password. */
const signIn = `
  auth_param basic program /usr/lib/squid/basic_fake_auth
  acl users proxy_auth REQUIRED
  http_access allow users
  http_access deny all`;

/** Starts squid between a client and a service with TLS, or without. */
async function openForwardProxy(config: string, { isSecure = true, user = "" } = {}) {
  const { mock, server } = await serveMock({ latency: 0 });
  const { token: apiKey } = await mock.createKey({ credits: 1_000, rateLimitPerMinute: 6_000 });
  const pem = await readFile(join(root, "packages/client/test/self-signed.pem"));
  const tls = createTlsServer({ cert: pem, key: pem }, (socket) => {
    const upstream = connect(server.port, "127.0.0.1");
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
    }
  });
  const port = await listen(tls);
  const own = config.replace("tryon.example", "localhost").replace("port 443", `port ${port}`);
  const squid = await startGateway("squid", own, server);
  onTestFinished(() => squid.stop());
  const url = squid.url.replace("//", `//${user}`);
  const proxyEnv = { HTTP_PROXY: url, HTTPS_PROXY: url };
  // The certificate of the tests names another host. The types of Node 20 do not have `proxyEnv`.
  const settings = { ca: pem, checkServerIdentity: () => undefined, proxyEnv } as AgentOptions;
  const agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings);
  onTestFinished(() => agent.destroy());
  const baseUrl = isSecure ? `https://localhost:${port}` : server.url;
  const tryon = new TryOn({ apiKey, baseUrl, agent, allowLiveKey: true });
  const charged = async () => 1_000 - ((await mock.ledger(apiKey))?.balance ?? 0);
  return { tryon, charged, squid };
}

describe.runIf(await isInstalled("squid"))("squid as a forward proxy", () => {
  const open = "http_port 127.0.0.1:8080\nhttp_access allow localhost\nhttp_access deny all";

  it.each([
    ["a tunnel, with the settings of the guide", guideConfig("squid"), {}],
    ["requests without TLS, with default settings", open, { isSecure: false }],
    ["users", `http_port 127.0.0.1:8080${signIn}`, { user: credentials }],
  ] as const)("passes %s", { timeout }, async (_title, config, options) => {
    const { tryon, charged } = await openForwardProxy(config, options);
    await tryon.run(upload);
    await tryon.run(slow(1_500), { sync: false });
    expect(await charged()).toBe(16);
  });

  it.each([
    ["another host", guideConfig("squid").replace("tryon.example", "other.example"), "403", true],
    ["no password for a tunnel", `http_port 127.0.0.1:8080${signIn}`, "407", true],
    ["no password for a request without TLS", `http_port 127.0.0.1:8080${signIn}`, "407", false],
  ] as const)(
    "refuses %s: the error names the proxy and the status",
    { timeout },
    async (_title, config, status, isSecure) => {
      const { tryon, charged, squid } = await openForwardProxy(config, { isSecure });
      const error = await errorOf(tryon.submit(upload));
      expect(error?.code).not.toBe("outcome_unknown");
      expect(error?.message).toContain(status);
      expect(`${error?.message} ${error?.hint}`).toContain(squid.url);
      expect(await charged()).toBe(0);
    },
  );

  it.each([true, false])(
    "cuts a response, with TLS %s: the client gets the job",
    { timeout },
    async (isSecure) => {
      const { tryon, charged } = await openForwardProxy(`read_timeout 1 second\n${open}`, {
        isSecure,
      });
      const { receipt } = await tryon.run(slow(4_000), { sync: true });
      expect(receipt.attempts.length).toBeGreaterThan(1);
      expect(await charged()).toBe(8);
    },
  );

  it("ends an upload above its limit in a clear error, without a charge", { timeout }, async () => {
    const config = `request_body_max_size 1 MB\n${open}`;
    const { tryon, charged } = await openForwardProxy(config, { isSecure: false });
    const error = await errorOf(tryon.submit(upload));
    expect(`${error?.code} ${error?.message} ${error?.hint}`).toMatch(/payload_too_large|limit/);
    expect(await charged()).toBe(0);
  });
});
