import { createHash, createHmac } from "node:crypto";
import { globSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer, request as requestTo, type IncomingMessage } from "node:http";
import { basename } from "node:path";

import type { MockOptions } from "@tryon/mock";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { node } from "@tryon/test-kit/repository";
import type { Program } from "@tryon/test-kit/start-program";
import { listen } from "@tryon/test-kit/listen";
import { chargesOf, serveMock } from "@tryon/test-kit/serve-mock";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";

import { readPage } from "../code/pages.ts";

const packages = [
  "@aws-sdk/client-s3@3.1175.0",
  "@aws-sdk/s3-request-presigner@3.1169.0",
  "s3rver@3.7.1",
];
const timeout = 40_000;
const day = 86_400_000;

/** Server of s3rver, which has no types. */
interface S3Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

let app: AppFolder;
let s3: S3Server;
let s3Port: number;

beforeAll(async () => {
  app = await AppFolder.create("s3");
  await app.install(packages, { manifest: { type: "module" } });
  await app.unpack();
  for (const page of ["images.md", "webhooks.md"]) {
    for (const { name, code } of (await readPage(`docs/guides/${page}`)).blocks) {
      if (/^(copy|sign|save-lost)\.ts$/.test(name)) await app.write(name, code);
    }
  }
  // The package exports a class.
  const Server = app.require("s3rver") as new (options: object) => S3Server;
  const settings = { address: "127.0.0.1", port: 0, silent: true, directory: app.path("s3") };
  s3 = new Server({ ...settings, configureBuckets: [{ name: "looks" }] });
  s3Port = (await s3.run()).port;
}, installing);

afterAll(async () => {
  await s3.close();
  await app.remove();
});

beforeEach(async () => {
  const paths = await readdir(app.path("s3/looks"));
  for (const path of paths) await rm(app.path("s3/looks", path), { recursive: true });
});

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

/**
 * Checks what s3rver does not: the signature of version 4 over the headers that were sent, and the digests of the body.
 * Returns the error code of S3, or undefined.
 */
function problemOf({ method, url = "", headers }: IncomingMessage, body: Buffer) {
  const [path = "", search = ""] = url.split("?");
  const query = new URLSearchParams(search);
  const signed = query.get("X-Amz-SignedHeaders") ?? "";
  const canonical = [
    method,
    path,
    search
      .split("&")
      .filter((one) => !one.startsWith("X-Amz-Signature="))
      .toSorted()
      .join("&"),
    ...signed.split(";").map((name) => `${name}:${String(headers[name])}`),
    "",
    signed,
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const time = query.get("X-Amz-Date") ?? "";
  const [, ...scope] = query.get("X-Amz-Credential")?.split("/") ?? [];
  const key = scope.reduce<string | Buffer>(hmac, "AWS4S3RVER");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), digest].join("\n");
  if (hmac(key, text).toString("hex") !== query.get("X-Amz-Signature")) {
    return "SignatureDoesNotMatch";
  }
  const sha256 = createHash("sha256").update(body).digest("base64");
  return headers["x-amz-checksum-sha256"] === sha256 ? undefined : "BadDigest";
}

/** Network between the programs and S3. The next uploads are cut within their body. */
async function openNetwork() {
  const cuts: Array<(() => unknown) | undefined> = [];
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const cut = cuts.shift();
    const chunks: Buffer[] = [];
    const toS3 = () => requestTo({ port: s3Port, method, path, headers });
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const far = toS3().on("error", () => undefined);
      const problem = problemOf(request, body);
      if (cut) {
        far.write(body.subarray(0, body.length / 2), () => {
          far.destroy();
          request.socket.destroy();
          cut();
        });
      } else if (problem) {
        far.destroy();
        response.writeHead(403).end(`<Error><Code>${problem}</Code></Error>`);
      } else {
        far.on("response", (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        far.end(body);
      }
    });
  });
  return { url: await listen(server), cuts };
}

async function openShop(options: MockOptions = {}) {
  const { mock, url: baseUrl } = await serveMock({
    latency: 0,
    allowPrivateWebhooks: true,
    ...options,
  });
  const { url, cuts } = await openNetwork();
  const folder = await AppFolder.create("shop");
  onTestFinished(() => folder.remove());
  const env = {
    TRYON_BASE_URL: baseUrl,
    TRYON_API_KEY: mock.keys.live,
    TRYON_WEBHOOK_SECRET: mock.webhookSecret,
    TRYON_POLL_INTERVAL: "100ms",
    AWS_ENDPOINT_URL: url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "S3RVER",
    AWS_SECRET_ACCESS_KEY: "S3RVER",
    JOURNAL: folder.path("spring.ndjson"),
  };
  const start = async (name: string, code: string) => {
    const copy = await readFile(app.path("copy.ts"), "utf8");
    await app.write("copy-here.ts", copy.replace('"spring.ndjson"', "process.env.JOURNAL"));
    await app.write(name, code);
    return app.start(node, ["--disable-warning=ExperimentalWarning", name], env);
  };
  return { mock, cuts, start };
}

type Start = Awaited<ReturnType<typeof openShop>>["start"];

/** Returns the SHA-256 of each object by its key. */
async function objects(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of globSync(app.path("s3/looks/**/*._S3rver_object"))) {
    const bytes = await readFile(path);
    // The end of the last chunk of a PNG.
    expect(bytes.subarray(-8, -4).toString()).toBe("IEND");
    found[basename(path, "._S3rver_object")] = createHash("sha256").update(bytes).digest("hex");
  }
  return found;
}

const skus = ["shirt", "coat", "hat", "shoe", "sock"];
const otherDigest = '(key, image) => sign(key, { ...image, sha256: "0".repeat(64) })';
const copyAll = (sign: string): string => `
  import { createWriteStream } from "node:fs";
  import { copyAll } from "./copy-here.ts";
  import { sign } from "./sign.ts";
  await copyAll(${JSON.stringify(skus)}, ${sign});`;

it(
  "copies a catalog to S3, wherever its program is killed, and charges each try-on once",
  { timeout },
  async () => {
    const { mock, cuts, start } = await openShop();
    for (let kill = 0; kill < 4; kill += 1) {
      const program = await start("copy-all.ts", copyAll("sign"));
      // The first uploads pass, and the next one is cut by the end of the program.
      for (let upload = 0; upload < kill; upload += 1) cuts.push(undefined);
      cuts.push(() => program.kill("SIGKILL"));
      expect((await program.ended).signal).toBe("SIGKILL");
      cuts.length = 0;
    }
    // An upload that is cut is repeated.
    cuts.push(() => undefined);
    const program = await start("copy-all.ts", copyAll("sign"));
    expect((await program.ended).code, program.text).toBe(0);
    const printed = program.output.stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    const stored = Object.fromEntries(
      printed.map(([key = "", , sha256]) => [basename(key), sha256]),
    );
    expect(Object.keys(stored).toSorted()).toEqual(skus.map((sku) => `${sku}.png`).toSorted());
    expect(await objects()).toEqual(stored);
    expect(await chargesOf(mock)).toHaveLength(skus.length);
  },
);

/** Starts the program with a signer of the test, which can use URLs that are valid for a second. */
async function startWith(start: Start, signer: string): Promise<Program> {
  const code = await readFile(app.path("sign.ts"), "utf8");
  await app.write("short.ts", code.replace("expiresIn: 900", "expiresIn: 1"));
  return start(
    "signer.ts",
    `import { setTimeout } from "node:timers/promises";
    import { sign as short } from "./short.ts";
    let count = 0;
    const lapsed = async (key, image) => {
      const url = await short(key, image);
      await setTimeout(1_200);
      return url;
    };
    ${copyAll(signer)}`,
  );
}

it("replaces a URL that has expired", { timeout }, async () => {
  const { mock, start } = await openShop();
  const signer = "(key, image) => ((count += 1) === 1 ? lapsed(key, image) : sign(key, image))";
  const program = await startWith(start, signer);
  expect((await program.ended).code, program.text).toBe(0);
  expect(Object.keys(await objects())).toHaveLength(skus.length);
  expect(await chargesOf(mock)).toHaveLength(skus.length);
});

it.each([
  ["URLs that have expired", "lapsed", /the upload failed: 403 AccessDenied/],
  ["a full disk", 'async () => createWriteStream("/dev/full")', /ENOSPC/],
  ["signed digests of another image", otherDigest, /the upload failed: 403 SignatureDoesNotMatch/],
])(
  "continues after %s, and charges each try-on once",
  { timeout },
  async (_title, signer, text) => {
    const { mock, start } = await openShop();
    const failed = await startWith(start, signer);
    expect((await failed.ended).code).toBe(1);
    expect(failed.output.stderr).toMatch(text);
    expect(failed.output.stderr).not.toContain("X-Amz-Signature");
    expect(await objects()).toEqual({});
    const again = await start("copy-all.ts", copyAll("sign"));
    expect((await again.ended).code, again.text).toBe(0);
    expect(Object.keys(await objects())).toHaveLength(skus.length);
    expect(await chargesOf(mock)).toHaveLength(skus.length);
  },
);

const saver = `
  import { createMemoryStore } from "@tryon/webhooks";
  import { createSaver } from "./save-lost.ts";
  import { sign } from "./sign.ts";
  const { receiver, saveLost } = createSaver(sign, createMemoryStore());`;
const input = { person: "https://shop.example/me.jpg", garments: ["https://shop.example/a.png"] };

it(
  "copies a result in a webhook handler, again after its upload was cut",
  { timeout },
  async () => {
    const { mock, cuts, start } = await openShop();
    // As many as the attempts of one call.
    cuts.push(...Array.from({ length: 4 }, () => () => undefined));
    const program = await start(
      "handler.ts",
      `${saver}
    import { createServer } from "node:http";
    import { TryOn } from "@tryon/client";
    import { createReceiver } from "@tryon/webhooks";
    import { buffer } from "node:stream/consumers";
    const server = createServer(async (request, response) => {
      const headers = new Headers(request.headers);
      const body = await buffer(request);
      const { status } = await receiver(new Request("http://localhost/", { method: "POST", headers, body }));
      console.log(status);
      response.writeHead(status).end();
      if (status < 300) server.close();
    });
    server.listen(0, "127.0.0.1", async () => {
      const webhook_url = "http://127.0.0.1:" + server.address().port + "/";
      await new TryOn().run({ ...${JSON.stringify(input)}, webhook_url });
    });`,
    );
    expect((await program.ended).code, program.text).toBe(0);
    expect(program.output.stdout).toBe("500\n204\n");
    expect(Object.keys(await objects())).toHaveLength(1);
    expect(await chargesOf(mock)).toHaveLength(1);
  },
);

it.each([29, 31])("copies what a lost webhook left, %i days later", { timeout }, async (days) => {
  const { mock, start } = await openShop({ clock: "manual" });
  const began = Date.now() - days * day;
  mock.clock.set(began);
  mock.faults.add({ on: "webhook", drop: true });
  const submit = `
    import { TryOn } from "@tryon/client";
    const webhook_url = "https://shop.example/hook";
    const job = await new TryOn().submit({ ...${JSON.stringify(input)}, webhook_url });
    console.log(job.id);
    process.exit();`;
  const submission = await start("submit.ts", submit);
  await submission.ended;
  const id = submission.output.stdout.trim();
  await mock.clock.advance(`${days}d`);
  const since = new Date(began - 60_000).toISOString();
  const program = await start(
    "lost.ts",
    `${saver}
    console.log(await saveLost(await saveLost(${JSON.stringify(since)})));
    process.exit();`,
  );
  expect((await program.ended).code, program.text).toBe(0);
  expect(Object.keys(await objects())).toEqual(days < 30 ? [`${id}.png`] : []);
  // A later call says nothing more about an image that is deleted.
  const lines = program.output.stderr.split("\n").filter((line) => line.includes(id));
  expect(lines).toHaveLength(days < 30 ? 0 : 1);
  expect(await chargesOf(mock)).toHaveLength(1);
});
