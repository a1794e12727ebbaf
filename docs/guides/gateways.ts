import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { Server as TlsServer } from "node:tls";

import { startGateway, type GatewayName } from "@tryon/test-kit/gateways";
import { startListening } from "@tryon/test-kit/listen";
import { serveMock } from "@tryon/test-kit/serve-mock";
import sharp from "sharp";
import { expect, onTestFinished } from "vitest";

import { TryOn, type TryOnInput, type TryOnOptions } from "@tryon/client";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy, type ProxyError } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";

import { readPage } from "../code/pages.ts";

const page = "docs/guides/behind-a-gateway.md";
const { blocks } = await readPage(page);

const shown = {
  nginx: "nginx.conf",
  haproxy: "haproxy.cfg",
  apache: "apache.conf",
  caddy: "Caddyfile",
  varnish: "varnish.vcl",
  squid: "squid.conf",
} as const satisfies Readonly<Record<GatewayName, string>>;

export function guideConfig(gateway: GatewayName): string {
  const block = blocks.find(({ name }) => name === shown[gateway]);
  if (block === undefined) throw new Error(`${page} has no block ${shown[gateway]}.`);
  return block.code;
}

/**
 * Returns a configuration with the defaults of a gateway.
 *
 * @param site settings for all of the site, on one or more lines
 * @param target settings for the server behind it
 */
export function plainConfig(
  gateway: Exclude<GatewayName, "squid">,
  site = "",
  target = "",
): string {
  return {
    nginx: `server {
      listen 127.0.0.1:8080;
      ${site}
      location / {
        proxy_pass http://127.0.0.1:3000;
        ${target}
      }
    }`,
    haproxy: `defaults
      mode http
    frontend gateway
      bind 127.0.0.1:8080
      ${site}
      default_backend app
    backend app
      ${target}
      server app 127.0.0.1:3000`,
    apache: `${site}
      ProxyPass / http://127.0.0.1:3000/`,
    caddy: `http://127.0.0.1:8080 {
      ${site}
      reverse_proxy 127.0.0.1:3000 {
        ${target}
      }
    }`,
    varnish: `vcl 4.1;
      import std;
      backend app { .host = "127.0.0.1"; .port = "3000"; ${target} }
      sub vcl_recv { std.log("plain"); ${site} }`,
  }[gateway];
}

export const transports: readonly Pick<TryOnOptions, "transport">[] = [{}, { transport: "fetch" }];

const pixels = { width: 1_200, height: 1_000, channels: 3 } as const;
const noise = randomBytes(pixels.width * pixels.height * pixels.channels);

/** Photo of 3.6 MB, 4.8 MB in a request. */
const photo = await sharp(noise, { raw: pixels }).png().toBuffer();

/** Input without a byte of an image. */
export const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} satisfies TryOnInput;

export const upload = { ...input, person: new Blob([new Uint8Array(photo)]) };

/** Starts a service and an app with a proxy and a receiver, each behind a gateway, until the end of the test. */
export async function openDeployment(
  name: GatewayName,
  config: string,
  { forService = config }: { readonly forService?: string } = {},
) {
  const { mock, server } = await serveMock({ latency: 0 });
  const { token: apiKey, webhookSecret } = await mock.createKey({
    credits: 1_000,
    rateLimitPerMinute: 6_000,
  });
  const service = await startGateway(name, forService, server);
  onTestFinished(() => service.stop());
  const access = { apiKey, baseUrl: service.url, allowLiveKey: true };
  /** Errors that the operator of the proxy gets. */
  const reported: ProxyError[] = [];
  const proxy = toNodeHandler(
    createProxy({
      ...access,
      authorize: () => ({ id: "ada" }),
      onError: (error) => reported.push(error),
    }),
  );
  const handled: string[] = [];
  const receiver = createReceiver({
    secrets: webhookSecret,
    onCompleted: ({ job_id }) => handled.push(job_id),
  });
  const app = createServer((request, response) =>
    request.url === "/webhooks/tryon" ? void receiver(request, response) : proxy(request, response),
  );
  const site = await startGateway(name, config, { port: await listen(app) });
  onTestFinished(() => site.stop());
  const webhookUrl = `${site.url}/webhooks/tryon`;
  const client = (options: TryOnOptions = {}): TryOn => {
    const tryon = new TryOn({ ...access, ...options });
    onTestFinished(() => tryon.close());
    return tryon;
  };
  const visitor = (): TryOn =>
    new TryOn({
      proxyUrl: `${site.url}/api/tryon`,
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        headers.set("origin", site.url);
        return fetch(url, { ...init, headers });
      },
    });
  const charged = async (): Promise<number> => 1_000 - ((await mock.ledger(apiKey))?.balance ?? 0);
  return { mock, client, visitor, webhookUrl, handled, reported, charged };
}

export type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** Checks that uploads, results, webhooks and pages pass. Makes five try-ons. */
export async function checkDeployment(deployment: Deployment): Promise<void> {
  const { client, visitor, webhookUrl, reported } = deployment;
  const jobs: string[] = [];
  for (const options of transports) {
    const tryon = client(options);
    const { job, image } = await tryon.run({ ...upload, webhook_url: webhookUrl });
    jobs.push(job.id);
    expect((await image.bytes()).subarray(1, 4)).toEqual(Uint8Array.from(Buffer.from("PNG")));
    const submitted = await tryon.submit({ ...upload, webhook_url: webhookUrl });
    jobs.push((await submitted.result()).job.id);
    expect(submitted.id).toBe(jobs.at(-1));
  }
  await checkWebhooks(deployment, jobs);
  const { image } = await visitor().run(upload);
  expect((await image.bytes()).length).toBeGreaterThan(0);
  expect(reported).toEqual([]);
}

/** Waits for the webhooks of jobs, and checks that each is verified, and handled once. */
export async function checkWebhooks(
  { mock, handled }: Deployment,
  jobs: readonly string[],
): Promise<void> {
  await expect.poll(() => handled.toSorted()).toEqual(jobs.toSorted());
  const deliveries = await mock.webhooks.deliveries();
  const statuses = deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status));
  expect(statuses).toEqual(jobs.map(() => 204));
}

export async function listen(server: Server | TlsServer): Promise<number> {
  const { port, close } = await startListening(server);
  onTestFinished(close);
  return port;
}
