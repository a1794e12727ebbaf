import { readdir, readFile } from "node:fs/promises";

import { installing, type AppFolder } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis } from "@tryon/test-kit/store-servers";
import { sign } from "@tryon/webhooks";
import { expect, onTestFinished, test } from "vitest";

import { beside, copied } from "./copied-example.ts";

const timeout = { timeout: installing };
const hasRedis = await isInstalled("redis");

async function redisUrl(): Promise<string> {
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  return redis.url;
}

async function startOfPng(example: AppFolder, path: string): Promise<string> {
  return (await readFile(example.path(path))).subarray(1, 4).toString();
}

test("the copied script saves an image of its sample photos", timeout, async () => {
  const example = await copied("node");
  const readme = await readFile(example.path("README.md"), "utf8");
  const images = [...readme.matchAll(/images\/\w+\.\w+/g)].map(([path]) => path);
  const said = await example.run("npx", [...beside, "npm", "start", "--", ...images]);
  expect(said).toMatch(/try-on\.png: job_\w+ cost 8 credits/);
  expect(await startOfPng(example, "try-on.png")).toBe("PNG");
});

test("the copied quickstart makes its two try-ons", timeout, async () => {
  const example = await copied("quickstart");
  expect(await example.run("npm", ["start"])).toContain("Credits left: 980");
  expect(await startOfPng(example, "out/try-on-webhook.png")).toBe("PNG");
});

test("the copied page has its server and its images", timeout, async () => {
  const example = await copied("browser");
  await example.run("npm", ["run", "build"]);
  const files = await readdir(example.path("dist/assets"));
  for (const image of ["person", "shirt", "jacket", "hat"]) {
    expect(files.filter((file) => file.startsWith(`${image}-`))).toHaveLength(1);
  }
  const server = example.start("npm", ["start", "--", "--port", String(await freePort())]);
  onTestFinished(async () => void (await server.stop()), installing);
  const [, url = ""] = await server.waitFor(/The page is at (http:\S+)/);
  expect(await (await fetch(url)).text()).toContain("<title>Virtual try-on</title>");
});

test.runIf(hasRedis)("the copied queue works through its items", timeout, async () => {
  const example = await copied("queue");
  const REDIS_URL = await redisUrl();
  const queue = example.start("npx", [...beside, "npm", "start", "items.json"], { REDIS_URL });
  onTestFinished(async () => void (await queue.stop()), installing);
  await queue.waitFor(/order-\d job_\w+\n[^]*order-\d job_\w+\n/);
  expect(await startOfPng(example, "out/order-2.png")).toBe("PNG");
});

test.runIf(hasRedis)("the copied receiver handles an event", timeout, async () => {
  const example = await copied("webhook-stores");
  const secret = "whsec_mock";
  const receiver = example.start("npm", ["start"], {
    STORE_URL: await redisUrl(),
    TRYON_WEBHOOK_SECRET: secret,
    PORT: "0",
  });
  onTestFinished(async () => void (await receiver.stop()), installing);
  const [, url = ""] = await receiver.waitFor(/^listening on (\S+)$/m);
  const body = '{"event":"tryon.completed","job_id":"job_1","status":"failed"}';
  const headers = { "X-Service-Signature": await sign({ body, secret }) };
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(204);
  await receiver.waitFor(/^job_1 failed$/m);
});
