import { createHash } from "node:crypto";
import { once } from "node:events";
import fs, { createWriteStream } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { Agent, createServer } from "node:http";
import { join } from "node:path";

import { expect, it, vi, onTestFinished } from "vitest";

import { httpServer, listen } from "../../test/http-server.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";
import { createService, failure, input, type Fault } from "../../test/service.ts";
import { isTryOnError } from "../index.ts";
import { storeImage } from "./index.ts";

/** Makes a try-on, whose image goes through a temporary folder of the test. */
async function makeTryOn() {
  const service = createService({ clock: "real", latency: 0 }, { random: () => 0.001 });
  const { image } = await service.tryon.run(input, { sync: true });
  const bytes = Buffer.from(await image.bytes());
  const folder = await temporaryFolder();
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const digest = (name: string) => createHash(name).update(bytes).digest("hex");
  const stored = {
    size: bytes.length,
    type: "image/png",
    sha256: digest("sha256"),
    md5: digest("md5"),
  };
  /** Returns the number of charges, and checks that no temporary file is left. */
  const charges = async (): Promise<number> => {
    expect(await readdir(temporary)).toEqual([]);
    const { entries = [] } = (await service.mock.ledger(service.mock.keys.live)) ?? {};
    return entries.filter(({ credits }) => credits < 0).length;
  };
  return { ...service, image, bytes, stored, charges, path: join(folder, "look.png") };
}

/** Storage that responds with these statuses, and then with 200. A body is in XML, as that of S3. */
const storage = (...answers: ReadonlyArray<readonly [status: number, code?: string]>) =>
  httpServer((response, _request, count) => {
    const [status, code = ""] = answers[count - 1] ?? [200];
    response.writeHead(status).end(`<Error><Code>${code}</Code><Url>secret</Url></Error>`);
  });

/** The page of a proxy instead of each image. */
const pages = Array.from({ length: 6 }, (): Fault => async ({ url }, pass) => {
  const isImage = url.includes("/results/");
  return isImage ? new Response("<html>", { headers: { "content-type": "text/html" } }) : pass();
});

it("puts the whole image with its length, type and MD5", async () => {
  const { image, stored, charges } = await makeTryOn();
  const { url, got } = await storage();
  expect(await storeImage(image, `${url}/look.png?X-Amz-SignedHeaders=host`)).toEqual(stored);
  expect(got).toMatchObject([
    {
      method: "PUT",
      url: "/look.png?X-Amz-SignedHeaders=host",
      headers: {
        "content-length": String(stored.size),
        "content-type": "image/png",
        "content-md5": Buffer.from(stored.md5, "hex").toString("base64"),
      },
    },
  ]);
  expect(got[0]?.headers).not.toHaveProperty("authorization");
  expect(await charges()).toBe(1);
});

it("sends the digests that a URL signs, and the headers of the caller", async () => {
  const { image, stored } = await makeTryOn();
  const { url, got } = await storage();
  const signed = `${url}?X-Amz-SignedHeaders=host%3Bx-amz-checksum-sha256`;
  await storeImage(image, new URL(signed), { headers: { "cache-control": "no-store" } });
  // A signature of version 2 covers Content-MD5.
  await storeImage(image, `${url}?AWSAccessKeyId=AKIA&Signature=abc&Expires=1`);
  expect(got[0]?.headers).toMatchObject({
    "cache-control": "no-store",
    "x-amz-checksum-sha256": Buffer.from(stored.sha256, "hex").toString("base64"),
  });
  for (const { headers } of got) expect(headers).not.toHaveProperty("content-md5");
});

it("uses the agent of the caller, and a timeout of weeks", async () => {
  const { image } = await makeTryOn();
  const { url, got } = await storage();
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  let sockets = 0;
  agent.on("free", () => (sockets += 1));
  await storeImage(image, url, { agent, timeout: "60d" });
  await vi.waitUntil(() => sockets === 1);
  expect(got).toHaveLength(1);
});

it("reads a refusal that comes before the body is read", async () => {
  const { image } = await makeTryOn();
  const url = await listen(
    createServer((_request, response) => {
      response.writeHead(413, { connection: "close" }).end();
    }),
  );
  expect(await failure(storeImage(image, url))).toMatchObject({ status: 413 });
});

it("passes the digests to a function, and calls it again for a URL that has expired", async () => {
  const { image, stored, charges } = await makeTryOn();
  const { url, got } = await storage([403, "AccessDenied"]);
  const signed: unknown[] = [];
  await storeImage(image, async (digests) => `${url}/${signed.push(digests)}`);
  expect(signed).toEqual([stored, stored]);
  expect(got.map(({ url: path }) => path)).toEqual(["/1", "/2"]);
  expect(await charges()).toBe(1);
});

it.each([
  ["503", [503, "SlowDown"]],
  ["408", [408]],
  ["429", [429]],
  ["a digest mismatch", [400, "BadDigest"]],
] satisfies ReadonlyArray<[string, readonly [number, string?]]>)(
  "uploads again after %s",
  async (_title, answer) => {
    const { image, charges } = await makeTryOn();
    const { url, got } = await storage(answer);
    await storeImage(image, url);
    expect(got).toHaveLength(2);
    expect(got[1]?.body).toBe(got[0]?.body);
    expect(await charges()).toBe(1);
  },
);

it("reports the status and code of the storage, and no signed URL", async () => {
  const { image, charges } = await makeTryOn();
  const { url, got } = await storage([403, "AccessDenied"]);
  const error = await failure(storeImage(image, `${url}/?X-Amz-Signature=secret`));
  expect(error).toMatchObject({
    code: "unexpected_response",
    status: 403,
    message: expect.stringMatching(
      /^Image of Job job_\w+ .*: the upload failed: 403 AccessDenied\. The URL may have expired/,
    ),
  });
  expect(JSON.stringify(error) + String(error)).not.toContain("secret");
  expect(got).toHaveLength(1);
  expect(await charges()).toBe(1);
});

it("uploads again after a connection that breaks", async () => {
  const { image, charges } = await makeTryOn();
  let count = 0;
  const url = await listen(
    createServer((request, response) => {
      count += 1;
      if (count > 1) request.resume().on("end", () => response.end());
      else request.once("data", () => request.destroy());
    }),
  );
  await storeImage(image, url);
  expect(count).toBe(2);
  expect(await charges()).toBe(1);
});

it("uploads nothing of an image that is not whole", async () => {
  const { tryon, faults, run } = createService({ clock: "real", latency: 0 });
  const { image } = await run(tryon.run(input, { sync: true }));
  const { url, got } = await storage();
  faults.push(...pages);
  // A service that does not show the job yet has another code.
  expect(isTryOnError(await failure(storeImage(image, url)))).toBe(true);
  expect(got).toEqual([]);
});

it.each([
  ["ftp://shop.example/a", "must be a writable stream, or an http or https URL"],
  ["look.png", "must be a writable stream, or an http or https URL"],
  [
    "https://shop.example/a?x-amz-checksum-crc32=AAAAAA%3D%3D",
    'requestChecksumCalculation: "WHEN_REQUIRED"',
  ],
])("refuses the URL %s", async (url, message) => {
  const { image } = await makeTryOn();
  expect(await failure(storeImage(image, url))).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(message),
  });
});

it("writes to a stream of Node, to that of a function, and to a WritableStream", async () => {
  const { image, bytes, stored, path, charges } = await makeTryOn();
  expect(await storeImage(image, createWriteStream(path))).toEqual(stored);
  expect(await readFile(path)).toEqual(bytes);
  await storeImage(image, ({ sha256 }) => createWriteStream(`${path}.${sha256}`));
  expect(await readFile(`${path}.${stored.sha256}`)).toEqual(bytes);
  const parts: Uint8Array[] = [];
  const web = new WritableStream<Uint8Array>({ write: (part) => void parts.push(part) });
  await storeImage(image, web);
  expect(Buffer.concat(parts)).toEqual(bytes);
  // The response of a server is no `Writable`.
  let written: Promise<unknown> | undefined;
  const { url } = await httpServer((response) => {
    written = storeImage(image, response);
  });
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(bytes);
  expect(await written).toEqual(stored);
  expect(await charges()).toBe(1);
});

it.runIf(process.platform === "linux")("rejects with ENOSPC of a full disk", async () => {
  const { image, charges } = await makeTryOn();
  const stream = createWriteStream("/dev/full");
  expect(await failure(storeImage(image, stream))).toMatchObject({ code: "ENOSPC" });
  expect(stream.destroyed).toBe(true);
  expect(await charges()).toBe(1);
});

it("rejects with the error of a stream that failed before, and destroys a stream without an image", async () => {
  const { tryon, image, faults, path } = await makeTryOn();
  const early = createWriteStream(join(path, "none.png"));
  expect(await failure(storeImage(image, early))).toMatchObject({ code: "ENOENT" });
  const { image: other } = await tryon.run(input, { sync: true });
  faults.push(...pages);
  const stream = createWriteStream(path);
  expect(isTryOnError(await failure(storeImage(other, stream)))).toBe(true);
  expect(stream.writableFinished).toBe(false);
  expect(stream.destroyed).toBe(true);
});

it("ignores a temporary file that opens only after the call has ended", async () => {
  const { image, path, charges } = await makeTryOn();
  const early = createWriteStream(join(path, "none.png"));
  await once(early, "error");
  const { open: real } = fs;
  let open: ((error: Error) => void) | undefined;
  // The first one reads the digests.
  const spy = vi.spyOn(fs, "open").mockImplementationOnce(real);
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementation((...args: readonly unknown[]) => void (open = args.at(-1) as typeof open));
  expect(await failure(storeImage(image, early))).toMatchObject({ code: "ENOENT" });
  expect(open).toBeDefined();
  // Without a listener, this fails the run.
  open?.(new Error("The folder is gone."));
  expect(await charges()).toBe(1);
});

it("ends with the reason of its signal", async () => {
  const { image, charges } = await makeTryOn();
  const controller = new AbortController();
  const { url } = await httpServer(() => controller.abort(new Error("stop")));
  expect(await failure(storeImage(image, url, { signal: controller.signal }))).toMatchObject({
    message: "stop",
  });
  expect(await charges()).toBe(1);
});
