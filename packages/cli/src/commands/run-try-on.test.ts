import { readFile, stat, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { expectEnd, openShop } from "../../test/cli.ts";

const png = Buffer.from("\u0089PNG", "latin1");

test("saves the image, and prints its path, the cost and the balance", async () => {
  const { tryon, argv, look, charges } = await openShop();
  const { code, stdout, stderr } = await tryon(argv);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${look}\n` });
  expect(stderr).toMatch(/^Price: 8 credits\njob_\w+: 8 credits, 992 credits left, [\d.]+s\n$/);
  expect((await readFile(look)).subarray(0, 4)).toEqual(png);
  expect(await charges()).toBe(1);
});

test("prints one line of JSON with --json, and takes fields, sizes in either case and https images", async () => {
  const { tryon, path, look } = await openShop();
  const url = "https://shop.example/shirt.png";
  const fields = ["--prompt", "tucked in", "--negative-prompt", "hats", "--seed", "2147483647"];
  const images = ["--person", path("me.png"), "--garment", url, "--garment", path("shirt.png")];
  const argv = ["run", ...images, ...fields, "--size", "2k", "--json", "-o", look];
  const { code, stdout } = await tryon(argv);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    job_id: expect.stringMatching(/^job_/),
    status: "succeeded",
    path: look,
    cost_credits: 12,
    credits_remaining: 988,
    idempotency_key: expect.any(String),
    duration_ms: expect.any(Number),
  });
  const { job_id: id } = JSON.parse(stdout) as { job_id: string };
  expect((await tryon(["jobs", "get", id])).stdout).toMatch(/^seed +2147483647$/m);
});

test("is free with a test key, also as a flag", async () => {
  const { tryon, argv, mock, charges } = await openShop();
  await expectEnd(tryon([...argv, "--api-key", mock.keys.test]), 0, "Price: free (test key)");
  expect(await charges()).toBe(0);
});

test("reads the key from --env-file, which wins over the environment", async () => {
  const { tryon, path, argv } = await openShop();
  await writeFile(path(".env"), "TRYON_API_KEY=svc_live_mock\n");
  const environment = { TRYON_API_KEY: "svc_live_wrong" };
  const ended = await tryon([...argv, "--env-file", path(".env")], { environment });
  expect(ended).toMatchObject({ code: 0 });
});

const person = ["--person", "me.png"];
const valid = [...person, "--garment", "shirt.png"];

test.each<[argv: readonly string[], message: string | RegExp]>([
  [[], "required option '--person <image>' not specified. Run tryon --help."],
  [
    [...person, "--garment", "nope.png"],
    /--garment is not an existing file: .*nope\.png\. Use the path/,
  ],
  [["--person", ".", "--garment", "shirt.png"], /--person is not a file: /],
  [
    ["--person", "note.txt", "--garment", "shirt.png"],
    "--person is text, not an image. Use a JPEG, PNG, WebP, AVIF, HEIC or GIF.",
  ],
  [
    ["--person", "http://a.example/me.png", "--garment", "shirt.png"],
    "--person is not an https URL. Use an https URL, or the path of an image.",
  ],
  [
    [...person, ...Array.from({ length: 4 }, () => ["--garment", "shirt.png"]).flat()],
    "--garment takes 1 to 3 images.",
  ],
  [[...valid, "--size", "9K"], "--size is not one of 1K, 2K and 4K."],
  [[...valid, "--seed", "2147483648"], /^--seed /],
  [[...valid, "--max-credits", "many"], /It must be a whole number from 0/],
  [[...valid, "-o", "no/such/look.png"], /the folder of --output does not exist/],
  [
    [...valid, "-o", "shirt.png"],
    /--output would replace an existing file: .*shirt\.png\. Use another path, or move that file\./,
  ],
  [
    [...valid, "-o", `${"字".repeat(80)}.png`],
    /--output cannot be written \(ENAMETOOLONG\): 字+\.png\. Check its rights and its disk/,
  ],
  [[...valid, "--env-file", "none"], /the file of --env-file cannot be read/],
  [[...valid, "--api-key", "svc_live_mock"], /It takes a test key, svc_test_…, only/],
  [[...valid, "--sise", "1K"], "unknown option --sise. Did you mean --size?"],
])("rejects %j in one line with exit code 2, and charges nothing", async (argv, message) => {
  const { tryon, path, charges, mock } = await openShop();
  await writeFile(path("note.txt"), "This text is not an image, and it is long enough.");
  const inFolder = argv.map((word) =>
    /^(?:[a-z]+\.(?:png|txt)|\.)$/.test(word) ? path(word) : word,
  );
  const { code, stdout, stderr } = await tryon(["run", ...inFolder]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^tryon: [^\n]+\n$/);
  const text = stderr.slice("tryon: ".length, -1);
  expect(text.replace(message, "")).not.toBe(text);
  expect(stderr).not.toContain("svc_live_mock");
  expect(await charges()).toBe(0);
  expect(mock.journal.entries({ method: "POST" })).toEqual([]);
});

test.each([
  [{ TRYON_API_KEY: "svc_live_empty" }, "insufficient_credits", "Buy credits, or use a smaller --"],
  [{ TRYON_API_KEY: "svc_live_flagged" }, "forbidden", "or flagged: check the dashboard."],
  [{ TRYON_API_KEY: "svc_live_nobody" }, "unauthorized", "Check TRYON_API_KEY."],
  [{ TRYON_BASE_URL: "http://127.0.0.1:9" }, "connection_failed", "(TRYON_BASE_URL)."],
])("ends with 1 and a hint for %j, as JSON with --json", async (environment, errorCode, hint) => {
  const { tryon, argv } = await openShop();
  const [plain, { code, stderr }] = await Promise.all([
    tryon([...argv, "--timeout", "20s"], { environment }),
    tryon([...argv, "--timeout", "20s", "--json"], { environment }),
  ]);
  expect(plain).toMatchObject({ code: 1, stdout: "" });
  expect(plain.stderr).toContain(hint);
  expect(plain.stderr).not.toContain("svc_live_");
  expect(code).toBe(1);
  const last = stderr.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ error: { code: errorCode } });
});

test("refuses a try-on above --max-credits before it is sent", async () => {
  const { tryon, argv, charges } = await openShop();
  const ended = tryon([...argv, "--max-credits", "7"]);
  await expectEnd(ended, 1, "Nothing was sent. Raise --max-credits.");
  expect(await charges()).toBe(0);
});

test("ends within --timeout also if the price look-up would wait for the rate limit", async () => {
  const { tryon, argv, mock, charges } = await openShop();
  mock.faults.add({ on: "* *", status: 429, retryAfter: 30 });
  const start = performance.now();
  await expectEnd(tryon([...argv, "--timeout", "900ms"]), 1, /rate limit/i);
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(await charges()).toBe(0);
});

test("names the job after Ctrl+C, and jobs wait takes it up without a second charge", async () => {
  const { tryon, argv, look, mock, charges } = await openShop({ latency: "30s", clock: "manual" });
  const controller = new AbortController();
  const running = tryon(argv, { signal: controller.signal });
  await mock.journal.waitFor("GET /api/v1/tryon/*");
  controller.abort();
  const { code, stderr } = await running;
  expect(code).toBe(130);
  const [, id = ""] =
    /Interrupted\. The job continues and is billed once: tryon jobs wait (job_\w+) -o .*look\.png\n$/.exec(
      stderr,
    ) ?? [];
  await expect(stat(look)).rejects.toThrow("ENOENT");
  await mock.clock.advance("31s");
  expect(await tryon(["jobs", "wait", id, "-o", look])).toMatchObject({
    code: 0,
    stdout: `${look}\n`,
  });
  expect((await readFile(look)).subarray(0, 4)).toEqual(png);
  expect(await charges()).toBe(1);
});

test("names the key of a submission with an unknown outcome, which pays for nothing again", async () => {
  const { tryon, argv, mock, charges } = await openShop();
  const fault = mock.faults.add({ on: "POST /api/v1/tryon", reset: "after" });
  const { code, stderr } = await tryon([...argv, "--timeout", "3s"]);
  expect(code).toBe(1);
  const [, key = ""] =
    /run the same command with --idempotency-key (\S+) to take it up/.exec(stderr) ?? [];
  mock.faults.remove(fault.id);
  expect(await tryon([...argv, "--idempotency-key", key])).toMatchObject({ code: 0 });
  expect(await charges()).toBe(1);
});

test("says that nothing was submitted if Ctrl+C comes before", async () => {
  const { tryon, argv, charges } = await openShop();
  expect(await tryon(argv, { signal: AbortSignal.abort() })).toMatchObject({
    code: 130,
    stderr: "Interrupted. Nothing was submitted.\n",
  });
  expect(await charges()).toBe(0);
});

test("ends with 1 and the reason if the job fails", async () => {
  const { tryon, argv, mock, charges } = await openShop();
  mock.nextJob({ outcome: "content_blocked" });
  await expectEnd(tryon(argv), 1, /Job job_\w+ failed: content_blocked\./);
  expect(await charges()).toBe(1);
});
