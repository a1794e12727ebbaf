import { readdir, readFile } from "node:fs/promises";

import { useMock } from "@tryon/mock/vitest";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startPostgres, startRedis, type StoreServer } from "@tryon/test-kit/store-servers";
import { expect, onTestFinished, test } from "vitest";

import { visitor, wish } from "./visitor.ts";

/** Arguments of `npx` that run a command of an example beside its installed reference server. */
const beside = ["tryon-mock", "exec", "--latency", "0", "--"];
const timeout = { timeout: installing };
const mock = useMock({ latency: 20 });
const hasRedis = await isInstalled("redis");

async function copied(name: string): Promise<AppFolder> {
  const example = await AppFolder.copy(name);
  onTestFinished(() => example.remove(), installing);
  return example;
}

async function urlOf(start: () => Promise<StoreServer>): Promise<string> {
  const server = await start();
  onTestFinished(() => server.remove());
  return server.url;
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
  for (const image of ["shirt", "jacket", "hat"]) {
    expect(files.filter((file) => file.startsWith(`${image}-`))).toHaveLength(1);
  }
  const server = example.start("npm", ["start"], { PORT: "0" });
  onTestFinished(async () => void (await server.stop()), installing);
  const [, url = ""] = await server.waitFor(/The page is at (http:\S+)/);
  expect(await (await fetch(url)).text()).toContain("<title>Virtual try-on</title>");
});

test.runIf(hasRedis)(
  "the copied queue works until SIGTERM, and saves each image",
  timeout,
  async () => {
    const example = await copied("queue");
    const [item] = JSON.parse(await readFile(example.path("items.json"), "utf8")) as object[];
    await example.write("spring.json", JSON.stringify([{ ...item, id: "a/b" }]));
    expect(await readFile(example.path("package.json"), "utf8")).toContain('"node src/main.ts"');
    const queue = example.start("node", ["src/main.ts", "items.json", "spring.json"], {
      REDIS_URL: await urlOf(startRedis),
      TRYON_BASE_URL: mock.url,
      TRYON_API_KEY: mock.keys.live,
    });
    onTestFinished(async () => void (await queue.stop()), installing);
    await queue.waitFor(/^(?:\S+ job_\w+\n){3}$/);
    expect(await queue.stop()).toEqual({ code: 0, signal: null });
    expect(queue.output.stderr).toBe("");
    expect(queue.output.stdout).toMatch(/^a\/b job_\w+$/m);
    for (const name of ["order-2.png", "a%2Fb.png"])
      expect(await startOfPng(example, `out/${name}`)).toBe("PNG");
  },
);

test("the copied receiver handles an event once on each store, and stops", timeout, async () => {
  const example = await copied("webhook-stores");
  const program = "src/receiver.ts";
  const variable = "Set STORE_URL to the URL of a Redis or PostgreSQL server or the path";
  await expect(example.run("node", [program])).rejects.toThrow(variable);
  expect(await readFile(example.path("package.json"), "utf8")).toContain(`"node ${program}"`);
  const secret = { TRYON_WEBHOOK_SECRET: "whsec_mock" };
  const urls = [example.path("events.db")];
  if (hasRedis) urls.push(await urlOf(startRedis));
  if (await isInstalled("postgres")) urls.push(await urlOf(startPostgres));
  for (const STORE_URL of urls) {
    const receiver = example.start("node", [program], { ...secret, STORE_URL, PORT: "0" });
    onTestFinished(async () => void (await receiver.stop()), installing);
    const [, url = ""] = await receiver.waitFor(/^listening on (\S+)$/m);
    const event = ["--job-id", "job_1", "--status", "failed", "--repeat", "2"];
    const send = ["tryon-webhooks", "send", "--to", url, ...event];
    expect((await example.run("npx", send, secret)).match(/^204 after/gm)).toHaveLength(2);
    expect(await receiver.stop()).toEqual({ code: 0, signal: null });
    expect(receiver.output.stdout.split("\n").slice(1)).toEqual(["job_1 failed", ""]);
  }
});

test("the copied example for vitest passes", timeout, async () => {
  const example = await copied("vitest");
  expect(await example.run("npm", ["test"])).toMatch(/Tests +6 passed/);
});

test.each(["express", "fastify", "hono"])(
  "the copied shop with %s starts, and receives the webhook of a try-on",
  async (name) => {
    const example = await copied(name);
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const shop = example.start("npx", [...beside, "npm", "start"], {
      PORT: String(port),
      TRYON_WEBHOOK_URL: `${url}/webhooks/tryon`,
    });
    onTestFinished(async () => void (await shop.stop()), installing);
    const headers = { cookie: "session=7f3a" };
    const results = async (): Promise<unknown> => {
      const response = await fetch(`${url}/results`, { headers }).catch(() => undefined);
      return response?.json();
    };
    // Four programs start, one after another.
    await expect.poll(results, { timeout: 120_000 }).toEqual([]);
    const { image } = await visitor(url, headers.cookie).run(wish);
    expect((await image.bytes()).length).toBeGreaterThan(1_000);
    await expect.poll(results).toHaveLength(1);
  },
  installing,
);
