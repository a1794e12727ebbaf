import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { TryOn, type TryOnOptions, type TryOnResult } from "../index.ts";
import { httpServer } from "../../test/http-server.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";
import {
  respondWith,
  smallPng,
  createService,
  cut,
  failure,
  input,
  type Fault,
  usesNode,
} from "../../test/service.ts";

const pngStart = [0x89, 0x50, 0x4e, 0x47];

const raise = "Raise maxResultBytes of the client to allow it.";

/** Sends the headers and the signature of a PNG, and never ends. */
const stalledImage: Fault = async () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(smallPng.slice(0, 8)) }));

const html = { "content-type": "text/html" };

const unreachable: Fault = () => Promise.reject(new TypeError("fetch failed"));

const iend = [...smallPng.subarray(-12)];

/** Creates a chunk of a PNG without its checksum. */
const chunkOf = (type: string, data: readonly number[], length = data.length) => [
  ...[24, 16, 8, 0].map((shift) => (length >>> shift) & 255),
  ...Buffer.from(type),
  ...data,
];

/** Opens a service and makes a try-on. A polled job has `result_bytes`. */
async function makeTryOn(options: TryOnOptions = {}) {
  const service = createService({}, options);
  const { run, tryon } = service;
  const { image, job } = await run((await run(tryon.submit(input))).result());
  return { ...service, image, job };
}

/** The same on the clock of the machine, for work of the file system. */
async function makeTryOnNow(options: TryOnOptions = {}) {
  const service = createService({ clock: "real", latency: 0 }, { random: () => 0.001, ...options });
  const { image } = await service.tryon.run(input, { sync: true });
  return { ...service, image };
}

describe("an image", () => {
  it("is returned as bytes, blob and stream, without the headers of the client", async () => {
    const { run, tryon, sent } = createService();
    const { image, job } = await run(tryon.run(input));
    await run(tryon.jobs.get(job.id).catch(() => undefined));
    const bytes = await run(image.bytes());
    expect([...bytes.subarray(0, 4)]).toEqual(pngStart);
    const blob = await run(image.blob());
    expect(blob).toMatchObject({ type: "image/png", size: bytes.length });
    const body = await run(image.stream());
    expect((await run(new Response(body).bytes())).length).toBe(bytes.length);
    const downloads = sent.filter(({ url }) => url.includes("/results/"));
    expect(downloads).toHaveLength(3);
    const ofTransport = usesNode ? ["accept", "user-agent"] : [];
    for (const { headers } of downloads) expect([...headers.keys()]).toEqual(ofTransport);
  });

  it("has a new URL after a day, and is result_purged after 30 days", async () => {
    const { run, error, tryon, sent, mock } = createService();
    const { image, job } = await run(tryon.run(input));
    const first = await run(image.url());
    expect(await run(image.url())).toBe(first);
    await mock.clock.advance("25h");
    const before = sent.length;
    expect([...(await run(image.bytes())).subarray(0, 4)]).toEqual(pngStart);
    expect(sent.length - before).toBe(2);
    expect(await run(image.url())).not.toBe(first);
    await mock.clock.advance("30d");
    const purged = { code: "result_purged", job: { id: job.id } };
    expect(await error(image.bytes())).toMatchObject(purged);
    expect(await error(image.url())).toMatchObject(purged);
  });

  it.each([400, 403, 404, 410])(
    "is requested with new URLs for 30 seconds after a %i, and then fails as result_expired",
    async (status) => {
      const { run, error, image, faults, sent, mock } = await makeTryOn();
      const before = sent.length;
      const denied = respondWith(status, "<Error><Code>AccessDenied</Code></Error>");
      faults.push(denied);
      expect((await run(image.bytes())).length).toBeGreaterThan(100);
      expect(sent.slice(before).map(({ path }) => path.split("/")[1])).toEqual([
        "results",
        "api",
        "results",
      ]);
      faults.push(...Array.from({ length: 4 }, () => [denied, undefined]).flat());
      expect((await run(image.bytes())).length).toBeGreaterThan(100);
      faults.push(...Array.from({ length: 50 }, () => [denied, undefined]).flat());
      const start = mock.clock.now();
      const failed = await error(image.bytes());
      expect(failed).toMatchObject({ code: "result_expired", status });
      expect(mock.clock.now() - start).toBeLessThanOrEqual(30_000);
      expect(mock.clock.now() - start).toBeGreaterThan(20_000);
      expect(String(failed)).not.toMatch(/baseUrl|deleted/);
      faults.splice(
        0,
        faults.length,
        ...Array.from({ length: 9 }, () => [denied, undefined]).flat(),
      );
      const late = await error(image.bytes({ timeout: "2s" }));
      expect(late).toMatchObject({ code: "result_expired", status });
    },
  );

  it("is result_expired without a URL, unless the clock of the service shows that 30 days have passed", async () => {
    const { run, error, tryon, faults } = createService();
    const job = { job_id: "job_1", status: "succeeded", created_at: "2026-01-01T00:00:00Z" };
    const response = (date: string) => respondWith(200, job, { date });
    faults.push(respondWith(200, job));
    const { image } = await run(tryon.run(input));
    faults.push(response("Sat, 31 Jan 2026 00:00:00 GMT"));
    expect(await error(image.bytes())).toMatchObject({ code: "result_expired" });
    faults.push(response("Sat, 31 Jan 2026 00:00:01 GMT"));
    expect(await error(image.bytes())).toMatchObject({ code: "result_purged" });
  });

  const wrongBodies = {
    "a login page": () => new Response("<html>Sign in</html>", { headers: html }),
    JSON: () => Response.json({ error: "busy" }),
    nothing: () => new Response(null),
    "a status of 206": async (pass: () => Promise<Response>) =>
      new Response((await pass()).body, { status: 206 }),
    "a JPEG": () => new Response(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)),
    "a PNG whose signature ends in another byte": () =>
      new Response(smallPng.map((byte, at) => (at === 7 ? 1 : byte))),
    "no content": () => new Response(null, { status: 204 }),
  };

  it.each(Object.entries(wrongBodies))(
    "is requested with a new URL if the store returns %s, and then fails with what came",
    async (_what, respond) => {
      const { run, error, image, faults, sent } = await makeTryOn();
      const whole = await run(image.bytes());
      const fault: Fault = async (_request, pass) => respond(pass);
      faults.push(fault);
      const before = sent.length;
      expect(await run(image.bytes())).toEqual(whole);
      expect(sent).toHaveLength(before + 3);
      faults.push(fault, undefined, fault);
      const failed = await error(image.bytes());
      expect(failed).toMatchObject({
        code: "unexpected_response",
        job: { id: expect.any(String) },
      });
      expect(String(failed)).toMatch(/not a PNG: the store returned 2\d\d with/);
      expect(JSON.parse(JSON.stringify(failed))).not.toHaveProperty("received");
      const sample = await respond(async () => new Response(whole));
      const received = Reflect.get(Object(failed), "received") as Blob;
      expect(await received.text()).toBe((await sample.text()).slice(0, 65_536));
      expect(received.type).toBe(sample.headers.get("content-type") ?? "");
      // A stream checks the signature before it starts.
      faults.push(fault);
      expect(await run(new Response(await run(image.stream())).bytes())).toEqual(whole);
      faults.push(fault, undefined, fault);
      expect(await error(image.stream())).toMatchObject({ code: "unexpected_response" });
    },
  );

  it("is downloaded again if it ends before IEND, and may have bytes after it", async () => {
    const { run, error, tryon, faults } = createService();
    const result = await run(tryon.run(input));
    const whole = await run(result.image.bytes());
    const longer = new Uint8Array([...whole, 1, 2, 3]);
    for (const end of [12, 11, 8, 4, 1]) {
      faults.push(async () => new Response(whole.slice(0, -end)));
      expect(await run(result.image.bytes())).toEqual(whole);
    }
    faults.push(async () => new Response(longer));
    expect(await run(result.image.bytes())).toEqual(longer);
    const short: Fault = async () => new Response(whole.slice(0, -1));
    faults.push(short, short, short, short);
    const failed = await error(result.image.bytes());
    expect(String((failed as Error).cause)).toContain("without IEND");
    faults.push(short);
    expect(String(await error(read(result.image, "stream")))).toContain("without IEND");
  });

  it("is the same for any division into chunks", async () => {
    const { run, tryon, faults } = createService();
    const { image } = await run(tryon.run(input));
    const whole = await run(image.bytes());
    for (const size of [1, 3, 7, 4_096]) {
      faults.push(async () => new Response(streamFrom(whole, size)));
      expect(await run(image.bytes())).toEqual(whole);
    }
  });

  it.each([
    ["its length and type", iend.slice(0, 8)],
    ["its bytes in the data of another chunk", [...chunkOf("tEXt", iend), 0, 0, 0, 0]],
    ["data that is missing", chunkOf("IEND", iend.slice(1))],
    ["a chunk of 4 GB before it", [...chunkOf("IDAT", iend, 2 ** 32 - 4), ...iend]],
  ])("is not whole with %s instead of IEND, in parts of any size", async (_what, rest) => {
    const { run, error, tryon, faults } = createService({}, { retries: 0 });
    const { image } = await run(tryon.run(input));
    const bytes = Uint8Array.from([...smallPng.subarray(0, -12), ...rest]);
    for (const size of [1, 7, 1_000]) {
      faults.push(async () => new Response(streamFrom(bytes, size)));
      expect(String(((await error(image.bytes())) as Error).cause)).toContain("without IEND");
    }
  });

  const redirects: readonly (readonly [string, string, boolean])[] = [
    ["https://cdn.example/a.png", "https://eu.cdn.example/a.png", true],
    ["https://cdn.example/a.png", "/b.png", true],
    ["http://cdn.example/a.png", "https://cdn.example/a.png", true],
    ["http://127.0.0.1:1/a.png", "http://localhost:2/a.png", true],
    ["https://cdn.example/a.png", "http://cdn.example/a.png", false],
    ["https://cdn.example/a.png", "https://127.0.0.1/a.png", false],
    ["https://cdn.example/a.png", "https://[::1]/a.png", false],
    ["https://cdn.example/a.png", "https://[::ffff:10.0.0.1]/a.png", false],
    ["https://cdn.example/a.png", "https://169.254.169.254/latest", false],
    ["https://cdn.example/a.png", "https://2130706433/a.png", false],
    ["https://cdn.example/a.png", "https://db.internal/a.png", false],
    ["https://cdn.example/a.png", "file:///etc/passwd", false],
    ["https://cdn.example/a.png", "", false],
  ];
  // The agent of this run has no connection for http.
  const sendable = redirects.filter(([url]) => !usesNode || url.startsWith("https:"));

  it.each(sendable)("of %s is followed to %s: %s", async (result_url, location, isFollowed) => {
    const { run, tryon, faults, sent } = createService();
    faults.push(respondWith(200, { job_id: "job_1", status: "succeeded", result_url }));
    const whole = smallPng;
    const { image } = await run(tryon.run(input));
    const signed = location === "" ? "" : `${location}?signature=5ec12e7`;
    faults.push(respondWith(307, "", signed === "" ? {} : { location: signed }));
    if (isFollowed) faults.push(async () => new Response(whole));
    const before = sent.length;
    const end = await run(image.bytes().catch((failed: Error) => failed));
    const code = end instanceof Error ? Reflect.get(end, "code") : undefined;
    expect(code).toBe(isFollowed ? undefined : "redirected");
    expect(end instanceof Error ? end.message : "").not.toMatch(/5ec12e7|baseUrl/);
    expect(end instanceof Error || whole.every((byte, at) => byte === end[at])).toBe(true);
    expect(sent).toHaveLength(before + (isFollowed ? 2 : 1));
    for (const { headers } of sent.slice(before)) expect(headers.has("authorization")).toBe(false);
  });

  it("is followed through 5 redirects, and no further", async () => {
    const { run, error, tryon, faults } = createService();
    const { image } = await run(tryon.run(input));
    const whole = await run(image.bytes());
    const onward = respondWith(302, "", { location: "https://cdn.example/a.png" });
    faults.push(...Array.from({ length: 5 }, () => onward), async () => new Response(whole));
    expect(await run(image.bytes())).toEqual(whole);
    faults.push(...Array.from({ length: 6 }, () => onward));
    expect(await error(image.bytes())).toMatchObject({ code: "redirected" });
  });

  it("is downloaded again after an error of the store, a reset, and a body that is cut or too short", async () => {
    const { run, image, faults, sent } = await makeTryOn();
    const whole = await run(image.bytes());
    const before = sent.length;
    faults.push(respondWith(503, "busy"), cut.before, { truncateAt: 9 });
    expect(await run(image.bytes())).toEqual(whole);
    faults.push(async () => new Response(whole.slice(0, 100)));
    expect(await run(image.bytes())).toEqual(whole);
    expect(sent).toHaveLength(before + 6);
  });

  it.each([
    [{}, 5_000, 1_000, "its result_bytes (5000 bytes). Ask the provider."],
    [{ maxResultBytes: 5_000 }, undefined, 1_000, `maxResultBytes (5000 bytes). ${raise}`],
    [{}, undefined, 10_000, `maxResultBytes (67108864 bytes). ${raise}`],
  ])(
    "fails in any form as soon as it exceeds its limit, with %o and result_bytes %s",
    async (options, size, chunk, limit) => {
      const { run, error, tryon, faults, mock, sent } = createService({}, options);
      const data = { job_id: "job_1", status: "succeeded", result_bytes: size };
      faults.push(respondWith(200, { ...data, result_url: "https://store.example/a.png" }));
      const { image } = await run(tryon.run(input));
      for (const form of ["bytes", "blob", "stream"] as const) {
        const body = longBody(chunk);
        faults.push(async () => new Response(body.stream));
        const before = sent.length;
        expect(await error(read(image, form))).toMatchObject({
          code: "unexpected_response",
          job: { id: "job_1" },
          message: `The image of job job_1 exceeds ${limit}`,
        });
        const buffers = 4 * chunk + (usesNode ? 2 ** 16 : 0);
        expect(body.given()).toBeLessThan(Number(/\d+/.exec(limit)) + buffers);
        expect(body.isCanceled()).toBe(true);
        expect(sent).toHaveLength(before + 1);
      }
      expect(mock.clock.pending).toBe(0);
    },
  );

  it("names the store that is unreachable, without the user and the query of the URL", async () => {
    const { run, error, tryon, faults } = createService();
    const result_url = "https://user:pass@store.example:8443/a.png?signature=5ec12e7";
    faults.push(
      respondWith(200, { job_id: "job_1", status: "succeeded", result_url }),
      ...Array.from({ length: 4 }, () => unreachable),
    );
    const { image } = await run(tryon.jobs.resume("job_1").result());
    const failed = await error(image.bytes());
    expect(failed).toMatchObject({ code: "connection_failed" });
    expect(String(failed)).toContain("job_1 got no response from https://store.example:8443 (");
    expect(String(failed)).not.toMatch(/pass|5ec12e7/);
  });

  it("times out after 30 seconds without data, and not while data arrives", async () => {
    const { run, error, image, faults, mock } = await makeTryOn({ retries: 0 });
    const whole = await run(image.bytes());
    let next = 0;
    const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
      await new Promise<void>((resolve) => {
        mock.clock.setTimeout(resolve, 25_000);
      });
      if (next >= whole.length) return controller.close();
      return controller.enqueue(whole.slice(next, (next += Math.ceil(whole.length / 4))));
    };
    faults.push(async () => new Response(new ReadableStream({ pull })));
    expect(await run(image.bytes())).toEqual(whole);
    faults.push(async () => new Response(new ReadableStream()));
    expect(await error(image.bytes())).toMatchObject({ code: "timed_out" });
  });

  it("streams to a slow reader", async () => {
    const { run, image, faults, mock } = await makeTryOn();
    const whole = await run(image.bytes());
    faults.push(async () => new Response(whole));
    const body = await run(image.stream());
    await mock.clock.advance("60s");
    expect(await run(new Response(body).bytes())).toEqual(whole);
    expect(mock.clock.pending).toBe(0);
  });

  it("streams until the caller aborts, with the reason of the caller, or cancels", async () => {
    const { run, error, image, faults, mock } = await makeTryOn();
    faults.push(stalledImage);
    const controller = new AbortController();
    const reader = (await run(image.stream({ signal: controller.signal }))).getReader();
    expect((await reader.read()).value).toHaveLength(8);
    const rest = error(reader.read());
    controller.abort("enough");
    expect(await rest).toBe("enough");
    expect(mock.clock.pending).toBe(0);
    const other = await run(image.stream());
    await other.cancel();
    expect(mock.clock.pending).toBe(0);
  });

  it("is not downloaded from a URL without http", async () => {
    const { run, error, tryon, faults } = createService();
    const result_url = "file:///etc/passwd";
    faults.push(respondWith(200, { job_id: "job_1", status: "succeeded", result_url }));
    const local = await run(tryon.run(input));
    expect(await error(local.image.bytes())).toMatchObject({ code: "unexpected_response" });
  });
});

describe("an image in a file", () => {
  it("replaces the file with the whole image, also after an interrupted download", async () => {
    const { image, faults, sent } = await makeTryOnNow();
    const { path, files } = await createFile("before");
    const before = sent.length;
    faults.push({ truncateAt: 9 }, cut.before);
    await image.save(path);
    expect(sent).toHaveLength(before + 3);
    expect(new Uint8Array(await readFile(path))).toEqual(await image.bytes());
    expect(await files()).toEqual(["out.png"]);
  });

  it.each<[string, TryOnOptions, Fault | undefined, string]>([
    ["breaks off for good", { retries: 0 }, { truncateAt: 9 }, "connection_failed"],
    ["exceeds the limit", { maxResultBytes: 100 }, undefined, "unexpected_response"],
    ["stalls", { retries: 0, attemptTimeout: 100 }, stalledImage, "timed_out"],
  ])("leaves the file unchanged if the download %s", async (_what, options, fault, code) => {
    const { image, faults } = await makeTryOnNow(options);
    const { path, files } = await createFile("before");
    faults.push(fault);
    expect(await failure(image.save(path))).toMatchObject({ code });
    expect(await readFile(path, "utf8")).toBe("before");
    // The timeout of an attempt does not wait for the file system.
    await expect.poll(files).toEqual(["out.png"]);
  });

  it("leaves the file unchanged if the caller aborts", async () => {
    const { image, faults } = await makeTryOnNow();
    const { path, files } = await createFile("before");
    faults.push(stalledImage);
    const controller = new AbortController();
    const saved = failure(image.save(path, { signal: controller.signal }));
    await expect.poll(files).toHaveLength(2);
    controller.abort("enough");
    expect(await saved).toBe("enough");
    await expect.poll(files).toEqual(["out.png"]);
    expect(await readFile(path, "utf8")).toBe("before");
  });

  it.each([
    ["ENOENT", "missing/out.png"],
    ["EISDIR", "."],
    ["ENAMETOOLONG", `${"x".repeat(250)}.png`],
  ])("fails with %s of the file system, without a retry", async (code, name) => {
    const { image, sent } = await makeTryOnNow();
    const { folder, files } = await createFile("before");
    const before = sent.length;
    const failed = await failure(image.save(join(folder, name)));
    expect(failed).toMatchObject({ code });
    expect(failed).toBeInstanceOf(Error);
    expect(sent).toHaveLength(before + 1);
    expect(await files()).toEqual(["out.png"]);
    await image.save(join(folder, "out.png"));
  });

  it.each([{}, { transport: "fetch" } as const])(
    "that cannot be written ends the download with %o",
    async (options) => {
      let isClosed = false;
      const { url } = await httpServer((response, request) => {
        if (request.url?.startsWith("/api/")) {
          const result_url = `${url}/out.png`;
          response.end(JSON.stringify({ job_id: "job_1", status: "succeeded", result_url }));
        } else {
          response.on("close", () => (isClosed = true));
          response.writeHead(200).write(Buffer.alloc(8 * 2 ** 20));
        }
      });
      const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: url, ...options });
      const { image } = await tryon.jobs.resume("job_1").result();
      const { folder } = await createFile("before");
      const failed = await failure(image.save(join(folder, "missing/out.png")));
      expect(failed).toMatchObject({ code: "ENOENT" });
      await expect.poll(() => isClosed).toBe(true);
    },
  );
});

/** Creates a stream of bytes in parts of a size. */
function streamFrom(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, (at += size)));
      if (at >= bytes.length) controller.close();
    },
  });
}

/** Creates a file in a separate folder. */
async function createFile(text: string) {
  const folder = await temporaryFolder();
  const path = join(folder, "out.png");
  await writeFile(path, text);
  return { folder, path, files: () => readdir(folder) };
}

/** Body of 7,500 chunks. Reports how many bytes it gave, and if its reader canceled it. */
function longBody(chunk: number) {
  let given = 0;
  let isCanceled = false;
  // A PNG whose first chunk is longer than the body.
  const bytes = new Uint8Array(chunk);
  const start = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10, 127, 255, 255, 255, 73, 68, 65, 84);
  const body = new ReadableStream({
    pull(controller) {
      given += chunk;
      if (given > 7_500 * chunk) controller.close();
      else
        controller.enqueue(
          given > chunk ? bytes : new Uint8Array([...start, ...bytes.slice(start.length)]),
        );
    },
    cancel() {
      isCanceled = true;
    },
  });
  return { stream: body, given: () => given, isCanceled: () => isCanceled };
}

/** Reads an image to its end. */
async function read(image: TryOnResult["image"], form: "bytes" | "blob" | "stream") {
  const given = await image[form]();
  if (!(given instanceof ReadableStream)) return;
  const reader = given.getReader();
  for (;;) if ((await reader.read()).done) return;
}
