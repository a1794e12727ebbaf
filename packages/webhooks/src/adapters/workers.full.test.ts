import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";

import { unicodeText, secret, signedEvent } from "../../test/events.ts";
import { send } from "../../test/senders.ts";

/** Methods of Miniflare that the test uses. */
interface Miniflare {
  readonly ready: Promise<URL>;
  getKVNamespace(name: string): Promise<{ get(key: string): Promise<string | null> }>;
  dispose(): Promise<void>;
}

let folder: AppFolder;
let worker: Miniflare;
let port: number;

/** Worker with settings from its environment and a receiver in the background. */
const program = `
  import { env, waitUntil } from "cloudflare:workers";
  import { createReceiver } from "@tryon/webhooks";

  const receive = createReceiver({
    secrets: () => env.TRYON_WEBHOOK_SECRET,
    onCompleted: (event) => env.HANDLED.put(event.job_id, event.error_message),
  });
  const receiveInBackground = createReceiver({
    secrets: env.TRYON_WEBHOOK_SECRET,
    onCompleted: (event) => env.HANDLED.put(event.job_id, event.error_message),
    background: waitUntil,
  });
  export default {
    fetch: (request) => (request.url.endsWith("/background") ? receiveInBackground(request) : receive(request)),
  };
`;

beforeAll(async () => {
  folder = await AppFolder.with("app", (await packedPackages()).webhooks, "miniflare@4.20260730.0");
  await folder.write("worker.js", program);
  // The installed package has no types here.
  const { Miniflare: Server } = folder.require("miniflare") as {
    Miniflare: new (options: object) => Miniflare;
  };
  worker = new Server({
    host: "127.0.0.1",
    port: 0,
    compatibilityDate: "2026-07-01",
    modules: await modulesOf(folder),
    bindings: { TRYON_WEBHOOK_SECRET: secret },
    kvNamespaces: ["HANDLED"],
    cf: false,
  });
  port = Number((await worker.ready).port);
}, installing);

afterAll(async () => {
  await worker.dispose();
  await folder.remove();
}, installing);

/** Bundles the worker into one file, like a tool that deploys it. */
async function modulesOf(app: AppFolder): Promise<readonly object[]> {
  const { outputFiles } = await build({
    entryPoints: [app.path("worker.js")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    external: ["cloudflare:workers"],
  });
  const contents = outputFiles.map(({ text }) => text).join("");
  return [{ type: "ESModule", path: "worker.js", contents }];
}

it.each([
  ["before the response", "/", 204],
  ["after the response", "/background", 202],
])("handles an event in a worker %s, once", async (_name, path, status) => {
  const job = `job_${status}`;
  const delivery = { ...(await signedEvent(job)), path };
  expect(await send(port, delivery)).toMatchObject({ status });
  const handled = await worker.getKVNamespace("HANDLED");
  await expect.poll(() => handled.get(job)).toBe(unicodeText);
  expect(await send(port, delivery)).toMatchObject({ status: 204 });
});

it("rejects other requests in a worker", async () => {
  const { body, headers } = await signedEvent("job_1");
  const forged = { ...headers, "x-service-signature": `sha256=${"0".repeat(64)}` };
  expect(await send(port, { headers: forged, body })).toMatchObject({ status: 400 });
  expect(await send(port, { method: "GET" })).toMatchObject({ status: 405 });
  const large = { headers, body: Buffer.alloc(2_000_000) };
  expect(await send(port, large)).toMatchObject({ status: 413 });
});
