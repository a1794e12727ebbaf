import { spawn } from "node:child_process";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

import { node } from "@tryon/test-kit/repository";
import { startProgram, startScript } from "@tryon/test-kit/start-program";
import { describe, expect, onTestFinished, test } from "vitest";

import { expectEnd, openShop } from "../test/cli.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const { PATH, NODE_COMPILE_CACHE } = process.env;

function start(argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  const program = startScript(main, argv, { env });
  onTestFinished(async () => void (await program.stop("SIGKILL")));
  return program;
}

async function endOf(argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const program = start(argv, environment);
  const { code } = await program.ended;
  return { code, ...program.output };
}

/** Runs the command on a terminal of 80 columns, and types a text. Returns what the terminal shows. */
async function onTerminal(
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
  typed = "",
) {
  const words = [node, "--conditions=@tryon/source", main, ...argv].map((word) => `'${word}'`);
  const line = `stty cols 80 rows 24; ${words.join(" ")}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: { PATH, NODE_COMPILE_CACHE, TERM: "xterm", ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    if (typed !== "" && shown.includes("(hidden)")) {
      child.stdin.write(typed);
      typed = "";
    }
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  // A spinner moves to the first column for each of its frames.
  const lines = stripVTControlCharacters(shown.replaceAll("\u001B[1G", "\n")).split(/[\r\n]+/);
  return { code, shown, lines };
}

test.each([
  [[]],
  [["--help"]],
  [["run", "--help"]],
  [["batch", "--help"]],
  [["jobs", "--help"]],
  [["jobs", "wait", "--help"]],
  [["account", "--help"]],
  [["credits", "--help"]],
  [["doctor", "--help"]],
  [["listen", "--help"]],
  [["mcp", "--help"]],
  [["help", "run"]],
])("prints the help of %j on one screen", async (argv) => {
  const { code, stdout, stderr } = await endOf(argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.match(/^ {2}tryon /gm)?.length ?? 0).toBeGreaterThanOrEqual(2);
  expect(stdout).toMatch(/^Docs: \S+README\.md$/m);
  expect(stdout.split("\n").length).toBeLessThanOrEqual(36);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
});

test.each(["mock", "contract", "webhooks"])("passes %s on to its command", async (name) => {
  const { code, stdout } = await endOf([name, "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: tryon-${name}`);
  expect((await endOf([name, "--wrong"])).code).toBe(2);
});

describe("on a terminal of 80 columns", () => {
  test("shows the phase and the time while it waits, within a line, and removes it at the end", async () => {
    const { environment, argv } = await openShop({ latency: "900ms" });
    const { code, shown, lines } = await onTerminal(argv, environment);
    expect(code).toBe(0);
    expect(lines.some((line) => /job_\w+ running 0\.\ds/.test(line))).toBe(true);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(shown).toMatch(/8 credits, 992 credits left, [\d.]+s\r\n[^\r\n]*look\.png\r\n/);
  });

  test("shows a progress bar of a batch, and a bold header unless NO_COLOR is set", async () => {
    const { environment, path } = await openShop({ latency: "500ms" });
    const rows = Array.from({ length: 12 }, (_, at) => `sku-${at},me.png,shirt.png`);
    await writeFile(path("items.csv"), ["id,person,garments", ...rows].join("\n"));
    const argv = ["batch", path("items.csv"), "--out", path("looks")];
    const { code, shown, lines } = await onTerminal(argv, environment);
    expect(code).toBe(0);
    expect(lines.some((line) => /\[#+-+\] [1-9]\d?\/12 {2}0 failed/.test(line))).toBe(true);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(shown).toContain("\u001B[1mTRY-ONS");
    const plain = await onTerminal(argv, { ...environment, NO_COLOR: "1" });
    expect(plain.shown).not.toContain("\u001B[1m");
  });

  test.each([
    "--help",
    "mcp --help",
    "contract --help",
    "mock --help",
    "webhooks --help",
    // The error is longer than a line.
    "run --person no.png --garment no.png",
  ])("wraps at words: %s", async (words) => {
    const { lines } = await onTerminal(words.split(" "), {});
    expect(lines.length).toBeGreaterThan(2);
    // A URL is one word.
    const long = lines.filter((line) => line.length > 80 && !line.startsWith("Docs: "));
    expect(long).toEqual([]);
  });

  test("asks for the key without showing it", async () => {
    const { mock, environment } = await openShop();
    const { TRYON_BASE_URL } = environment;
    const typed = `${mock.keys.test}\n`;
    const { code, shown } = await onTerminal(["account"], { TRYON_BASE_URL }, typed);
    expect(shown).toContain("test: nothing is charged");
    expect(shown).not.toContain(mock.keys.test);
    expect(code).toBe(0);
  });
});

test("says once that it waits for the rate limit, in a pipe and on a terminal", async () => {
  const { environment, input, path, mock, charges } = await openShop();
  const argv = (name: string) => ["run", ...input, "-o", path(name)];
  const line = "Waiting for the rate limit of the key: 2.0s\n";
  mock.faults.add({ on: "GET /api/v1/account", status: 429, retryAfter: 2, times: 1 });
  const ending = endOf(argv("a.png"), environment);
  await expectEnd(ending, 0, new RegExp(`^${line}Price: 8 credits\njob_\\w+: [^\n]+\n$`));
  mock.faults.add({ on: "POST /api/v1/tryon", status: 429, retryAfter: 2, times: 1 });
  const { shown } = await onTerminal(argv("b.png"), environment);
  expect(shown.split("Waiting for the rate limit")).toHaveLength(2);
  expect(await charges()).toBe(2);
});

test("says once that a batch waits for the rate limit before it starts, in a pipe", async () => {
  const { environment, path, mock, charges } = await openShop();
  const row = "https://shop.example/me.png,https://shop.example/shirt.png";
  await writeFile(path("items.csv"), `id,person,garments\na,${row}\nb,${row}\n`);
  const headers = { limit: "60", remaining: "0", reset: "3" };
  mock.faults.add({
    on: "GET /api/v1/account",
    status: 200,
    body: { tryon_cost_credits: { "1K": 8 } },
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`x-ratelimit-${name}`, value]),
    ),
  });
  const argv = ["batch", path("items.csv"), "--out", path("looks")];
  const ending = endOf(argv, environment);
  await expectEnd(ending, 0, /^Price: [^\n]+\nWaiting for the rate limit of the key: [23]\.\ds\n$/);
  expect(await charges()).toBe(2);
});

describe.each([
  ["tryon", "jobs --help", 1],
  ["tryon-mock", "mock --port 0", 1],
  ["tryon-contract", "contract --help", 70],
  ["tryon-webhooks", "webhooks --help", 1],
])("%s ends with one line and a code", (name, words, code) => {
  test.each([
    ["the disk is full", "", ">/dev/full", "ENOSPC: no space left on device, write"],
    ["its reader closes the pipe", "3>&1", "| true", "its reader has closed it (EPIPE)"],
  ])("if %s", async (_when, opened, to, reason) => {
    const command = `'${node}' --conditions=@tryon/source '${main}' ${words}`;
    const line =
      opened === ""
        ? `${command} ${to}; echo $?`
        : `{ { ${command}; echo $? >&3; } ${to}; } ${opened}`;
    const program = startProgram("sh", ["-c", line], { env: { PATH } });
    await program.ended;
    expect(program.output).toEqual({
      stdout: `${code}\n`,
      stderr: `${name}: standard output is incomplete, ${reason}.\n`,
    });
  });
});

test("ends with 130 and names the job after a real Ctrl+C", async () => {
  const { environment, input, mock, charges } = await openShop({ latency: "60s" });
  const program = start(["run", ...input], environment);
  await mock.journal.waitFor("GET /api/v1/tryon/*", { timeout: 20_000 });
  program.kill("SIGINT");
  expect((await program.ended).code).toBe(130);
  expect(program.output.stderr).toMatch(/tryon jobs wait job_\w+\n$/);
  expect(program.text).not.toContain(mock.keys.live);
  expect(await charges()).toBe(1);
});

test("makes 300 try-ons of a batch once, although it is killed twice", async () => {
  const { environment, mock, path } = await openShop({ latency: 200 });
  const { token: key } = await mock.createKey({ credits: 10_000, rateLimitPerMinute: 6_000 });
  const rows = Array.from(
    { length: 300 },
    (_, at) => `sku-${at},me.png,https://shop.example/${at}.png`,
  );
  await writeFile(path("items.csv"), ["id,person,garments", ...rows].join("\n"));
  const env = { ...environment, TRYON_API_KEY: key };
  const argv = ["batch", path("items.csv"), "--out", path("looks"), "--max-credits", "2400"];
  for (const spent of [700, 1_500]) {
    const program = start(argv, env);
    await expect
      .poll(async () => 10_000 - ((await mock.ledger(key))?.balance ?? 0))
      .toBeGreaterThan(spent);
    await program.stop("SIGKILL");
  }
  const { code, stdout, stderr } = await endOf(argv, env);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^Price: at most 2,400/),
  });
  expect(stdout).toMatch(/\n {4}300 +300 +0 +0 /);
  expect((await mock.ledger(key))?.balance).toBe(10_000 - 2_400);
  const images = (await readdir(path("looks"))).filter((name) => name.endsWith(".png"));
  expect(images).toHaveLength(300);
});

test("makes the failures of a batch again, each once, although their runs are interrupted and killed", async () => {
  const { environment, mock, path } = await openShop();
  const ids = Array.from({ length: 8 }, (_, at) => `sku-${at}`);
  const rows = ids.map((id) => `${id},me.png,https://shop.example/${id}.png`);
  await writeFile(path("items.csv"), ["id,person,garments", ...rows].join("\n"));
  const again: string[] = [];
  const charges = async () => {
    const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
    return entries.filter(({ cause }) => cause === "tryon");
  };
  const launch = (file: string) =>
    start(
      ["batch", path(file), "--out", path("looks"), "--concurrency", "2", ...again],
      environment,
    );
  const prepare = (count: number, job: Parameters<typeof mock.nextJob>[0]): void => {
    for (let left = count; left > 0; left -= 1) mock.nextJob(job);
  };
  const run = async (file: string) => (await launch(file).ended).code;
  /** Runs a file, and sends a signal as soon as there is this number of charges. */
  const stop = async (file: string, signal: NodeJS.Signals, count: number) => {
    const program = launch(file);
    await expect.poll(async () => (await charges()).length, { timeout: 20_000 }).toBe(count);
    program.kill(signal);
    return (await program.ended).code;
  };
  prepare(4, { errorMessage: "generation_failed" });
  expect(await run("items.csv")).toBe(1);
  const content = await readFile(path("looks.failures.ndjson"), "utf8");
  again.push("--retry-failed", "2");
  prepare(2, { durationMs: 4_000 });
  expect(await stop("looks.failures.ndjson", "SIGINT", 10)).toBe(130);
  prepare(2, { errorMessage: "generation_failed", durationMs: 4_000 });
  expect(await stop("looks.failures.ndjson", "SIGKILL", 12)).not.toBe(0);
  expect(await run("looks.failures.ndjson")).toBe(1);
  expect(await readFile(path("looks.failures.ndjson"), "utf8")).toBe(content);
  again.push("--retry-failed", "3");
  expect(await run("looks.failures-2.ndjson")).toBe(0);
  const jobs = (await charges()).map(({ jobId, credits }) => `${jobId} ${credits}`);
  expect(new Set(jobs).size).toBe(14);
  expect(jobs).toHaveLength(14);
  const images = (await readdir(path("looks"))).map((name) => name.slice(0, "sku-0".length));
  expect(images.toSorted()).toEqual(ids);
});

test("saves no image that the journal cannot record, so that the same command continues", async () => {
  const { environment, path, tryon, charges } = await openShop();
  const batch = (name: string, ...ids: readonly string[]) => ({
    argv: ["batch", path(name), "--out", path("looks")],
    text: ["id,person,garments", ...ids.map((id) => `${id},me.png,https://shop.example/a.png`)],
  });
  const first = batch("items.csv", ...Array.from({ length: 60 }, (_, at) => `sku-${at}`));
  const second = batch("more.csv", "last");
  await writeFile(path("items.csv"), first.text.join("\n"));
  await writeFile(path("more.csv"), second.text.join("\n"));
  expect((await tryon(first.argv)).code).toBe(0);
  const { size } = await stat(path("looks.journal.ndjson"));
  // There is room for the first entry of another try-on, and for any image, which is smaller than the journal.
  const words = [`--fsize=${size + 600}`, node, "--conditions=@tryon/source", main, ...second.argv];
  const program = startProgram("prlimit", words, { env: { PATH, ...environment } });
  expect((await program.ended).code).toBe(1);
  expect(program.output.stderr).toContain("The image was not saved, since the journal");
  expect(await readdir(path("looks"))).not.toContain("last.png");
  expect((await tryon(second.argv)).code).toBe(0);
  expect(await readdir(path("looks"))).toContain("last.png");
  expect(await charges()).toBe(61);
});

test("names the job that is paid if its image cannot be saved", async () => {
  const { environment, argv, look, tryon, charges } = await openShop();
  const words = ["--fsize=2000", node, "--conditions=@tryon/source", main, ...argv, "--json"];
  const program = startProgram("prlimit", words, { env: { PATH, ...environment } });
  expect((await program.ended).code).toBe(1);
  const { error } = JSON.parse(program.output.stderr.split("\n").at(-2) ?? "") as {
    error: { code: string; message: string; job_id: string };
  };
  expect(error).toMatchObject({
    code: "not_saved",
    message: expect.stringContaining(`EFBIG: file too large, write. The try-on is paid, and`),
  });
  expect((await tryon(["jobs", "download", error.job_id, "-o", look])).code).toBe(0);
  expect(await charges()).toBe(1);
});

test("keeps its image that has the default name", async () => {
  const { environment, input, path, charges } = await openShop();
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  const run = async () => {
    const argv = ["run", ...input, "--idempotency-key", "key-1"];
    const program = startScript(main, argv, { env, cwd: path(".") });
    expect((await program.ended).code).toBe(0);
    return program.output.stdout.trim();
  };
  const name = await run();
  await writeFile(path(name), "edited");
  expect(await run()).toBe(name);
  expect(await readFile(path(name), "utf8")).toBe("edited");
  expect(await charges()).toBe(1);
});
