import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import { buildAndPack, published, root } from "./packages.ts";

const run = promisify(execFile);
const node = join(root, "node_modules/node/bin/node");
const installing = 600_000;

let folder: string;
let app: string;
let server: ChildProcess;
let baseUrl: string;

/** An app of a stranger: a folder with a package.json, into which npm has installed the tarballs. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-packed-"));
  app = join(folder, "app");
  await mkdir(app);
  const tarballs = await buildAndPack(published, folder);
  await writeFile(join(app, "package.json"), JSON.stringify({ name: "app", private: true }));
  await run("npm", ["install", "--no-audit", "--no-fund", ...tarballs], { cwd: app });
  server = spawn(
    node,
    [join(app, "node_modules/.bin/tryon-mock"), "--port", "0", "--latency", "0"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  if (server.stdout === null) throw new Error("The command has no standard output.");
  const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
  baseUrl = line.split(" ").at(-1) ?? "";
}, installing);

afterAll(async () => {
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  await gone;
  await rm(folder, { recursive: true });
}, installing);

const program = `
  const tryon = new TryOn({ apiKey: "svc_live_mock", baseUrl: process.argv[2] });
  const person = new Blob([Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4])]);
  const garments = [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2])];
  const result = await tryon.run({ person, garments, output_size: "1K" });
  const png = await result.image.bytes();
  const body = "{}";
  const signed = await sign({ body, secret: "whsec_a" });
  const outcome = await safeVerify({ body, headers: { "x-service-signature": signed }, secrets: "whsec_a" });
  const mock = createMock();
  console.log(JSON.stringify([png[1] === 80, result.receipt.credits, outcome.code, mock.keys.test]));
  mock.close();
`;

it("does a whole try-on from an ES module", async () => {
  const path = join(app, "run.mjs");
  const imports = `import { TryOn } from "@tryon/client";
    import { safeVerify, sign } from "@tryon/webhooks";
    import { createMock } from "@tryon/mock";`;
  await writeFile(path, imports + program);
  const { stdout } = await run(node, [path, baseUrl]);
  expect(JSON.parse(stdout)).toEqual([true, 8, "invalid_event", "svc_test_mock"]);
});

it("does a whole try-on from a CommonJS module", async () => {
  const path = join(app, "run.cjs");
  const imports = `const { TryOn } = require("@tryon/client");
    const { safeVerify, sign } = require("@tryon/webhooks");
    const { createMock } = require("@tryon/mock");`;
  await writeFile(path, `${imports}(async () => {${program}})();`);
  const { stdout } = await run(node, [path, baseUrl]);
  expect(JSON.parse(stdout)).toEqual([true, 8, "invalid_event", "svc_test_mock"]);
});

/** A batch in two runs on one journal, the second of which sends nothing, and a page's client before a proxy. */
const manyJobs = `
  const tryon = new TryOn({ apiKey: "svc_live_mock", baseUrl: process.argv[2] });
  const input = { person: "https://shop.example/me.jpg", garments: ["https://shop.example/shirt.png"] };
  const told = [];
  for (let times = 0; times < 2; times += 1) {
    const journal = await openJournal(process.argv[3]);
    for await (const { result, earlier } of batch(tryon, [input, input], { id: (_item, index) => "item-" + index, journal })) {
      told.push(result?.receipt.credits, earlier);
    }
    await journal.close();
  }
  const stopped = await batch(tryon, [input], { budget: { maxCredits: 1 } }).next().then(({ value }) => value.error, (error) => error);
  const authorize = () => ({ user: "ada" });
  const proxy = createProxy({ apiKey: "svc_live_mock", baseUrl: process.argv[2], authorize });
  const page = new TryOn({ proxyUrl: "https://shop.example/api", fetch: (url, init) => proxy(new Request(url, { ...init, duplex: "half" })) });
  const { job } = await page.run(input);
  const refused = await page.account.get().catch((error) => error);
  console.log(JSON.stringify([told, stopped.code, stopped instanceof TryOnError, /^job_\\w+$/.test(job.id), refused.code]));
`;
const madeOnce = [
  [8, false, 8, false, 8, true, 8, true],
  "budget_exceeded",
  true,
  true,
  "not_found",
];

it("makes a batch once in two runs, and a try-on through a proxy, from ES modules", async () => {
  const path = join(app, "many.mjs");
  const imports = `import { TryOn, TryOnError } from "@tryon/client";
    import { batch } from "@tryon/client/batch";
    import { openJournal } from "@tryon/client/node";
    import { createProxy } from "@tryon/client/proxy";`;
  await writeFile(path, imports + manyJobs);
  const { stdout } = await run(node, [path, baseUrl, join(folder, "esm.ndjson")]);
  expect(JSON.parse(stdout)).toEqual(madeOnce);
});

it("makes a batch once in two runs, and a try-on through a proxy, from CommonJS modules", async () => {
  const path = join(app, "many.cjs");
  const imports = `const { TryOn, TryOnError } = require("@tryon/client");
    const { batch } = require("@tryon/client/batch");
    const { openJournal } = require("@tryon/client/node");
    const { createProxy } = require("@tryon/client/proxy");`;
  await writeFile(path, `${imports}(async () => {${manyJobs}})();`);
  const { stdout } = await run(node, [path, baseUrl, join(folder, "cjs.ndjson")]);
  expect(JSON.parse(stdout)).toEqual(madeOnce);
});

it("knows an error of one CommonJS entry in another, though they share no class", async () => {
  const path = join(app, "brand.cjs");
  await writeFile(
    path,
    `const { isWebhookError } = require("@tryon/webhooks");
    const { verifySync } = require("@tryon/webhooks/node");
    try {
      verifySync({ body: "", headers: {}, secrets: "whsec_a" });
    } catch (error) {
      console.log(isWebhookError(error, "missing_signature"));
    }`,
  );
  expect((await run(node, [path])).stdout).toBe("true\n");
});

it("runs a command beside a server of its own, which takes an event from it", async () => {
  const command = join(app, "node_modules/.bin/tryon-mock");
  const path = join(app, "exec.mjs");
  await writeFile(
    path,
    `import { execFile } from "node:child_process";
    import { createServer } from "node:http";
    import { verify } from "@tryon/webhooks";
    const receiver = createServer(async (request, response) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      const secrets = process.env.TRYON_WEBHOOK_SECRET;
      const event = await verify({ body: Buffer.concat(parts), headers: request.headers, secrets });
      response.writeHead(204).end();
      console.log(event.status);
    });
    receiver.listen(0, "127.0.0.1", () => {
      const to = "http://127.0.0.1:" + receiver.address().port;
      const argv = [process.argv[2], "trigger", "tryon.completed", "--to", to, "--status", "failed"];
      execFile(process.execPath, argv, async (error, stdout) => {
        const address = process.env.TRYON_BASE_URL + "/api/discovery";
        console.log(error === null, stdout.includes("204 after"), (await fetch(address)).status);
        process.exit(7);
      });
    });`,
  );
  const ended = run(node, [command, "exec", "--quiet", "--", node, path, command]);
  await expect(ended).rejects.toMatchObject({
    code: 7,
    stdout: "failed\ntrue true 200\n",
    stderr: "",
  });
});

it("holds the reference server to the contract, and says so with the exit code", async () => {
  const command = join(app, "node_modules/.bin/tryon-contract");
  const page = join(app, "contract.html");
  const { stdout } = await run(node, [command, "--base-url", baseUrl, `--report=html=${page}`]);
  expect(stdout).toContain("The contract is kept");
  expect(await readFile(page, "utf8")).toContain("<!doctype html>");
  const nobody = run(node, [command, "--base-url", baseUrl, "--api-key", "svc_test_nobody"]);
  await expect(nobody).rejects.toMatchObject({ code: 5, stdout: "" });
});

it("signs a webhook, and explains one that is refused, from the shell", async () => {
  const command = join(app, "node_modules/.bin/tryon-webhooks");
  const path = join(app, "body.json");
  await writeFile(path, "{}");
  const environment = { ...process.env, TRYON_WEBHOOK_SECRET: "whsec_a" };
  const { stdout } = await run(node, [command, "sign", "--body", path], { env: environment });
  expect(stdout).toMatch(/^sha256=[0-9a-f]{64}\n$/);
  const argv = [
    "explain",
    "--body",
    path,
    "--header",
    `X-Service-Signature: ${stdout.slice(7).trim()}`,
  ];
  const refused = run(node, [command, ...argv], { env: environment });
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining("[signature_prefix_missing]"),
  });
});

async function manifest(name: string): Promise<{ dependencies?: Record<string, string> }> {
  const text = await readFile(join(app, "node_modules/@tryon", name, "package.json"), "utf8");
  return JSON.parse(text) as { dependencies?: Record<string, string> };
}

it("installs the client with one dependency and the webhook library with none", async () => {
  expect(Object.keys((await manifest("client")).dependencies ?? {})).toEqual(["openapi-fetch"]);
  expect((await manifest("webhooks")).dependencies).toBeUndefined();
});
