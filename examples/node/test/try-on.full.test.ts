import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { MockOptions } from "@tryon/mock";
import { assetPath } from "@tryon/test-kit/repository";
import { chargesOf, serveMock } from "@tryon/test-kit/serve-mock";
import { startScript } from "@tryon/test-kit/start-program";
import { expect, it, onTestFinished } from "vitest";

const images = ["person.jpg", "shirt.png"].map(assetPath);

/** Starts a reference server and returns a function that starts the script in a temporary folder. */
async function setUp(options: MockOptions) {
  const { mock, url } = await serveMock(options);
  const cwd = await mkdtemp(join(tmpdir(), "tryon-node-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const env = { ...process.env, TRYON_BASE_URL: url, TRYON_API_KEY: mock.keys.live };
  const start = (...args: readonly string[]) => {
    const program = startScript(join(import.meta.dirname, "../src/try-on.ts"), args, { cwd, env });
    onTestFinished(() => program.kill("SIGKILL"));
    const end = program.ended.then(({ code }) => ({
      code,
      stdout: program.output.stdout,
      log: program.output.stderr.split("\n").slice(0, -1),
    }));
    return { program, end };
  };
  const expectImage = async (name: string) =>
    expect((await readFile(join(cwd, name))).subarray(1, 4).toString()).toBe("PNG");
  return { mock, cwd, start, charges: () => chargesOf(mock), expectImage };
}

it("saves the image and prints its cost, charged once after a lost response", async () => {
  const { mock, start, charges, expectImage } = await setUp({ latency: "2s" });
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
  const { code, stdout, log } = await start(...images).end;
  expect(log.at(-1)).toMatch(/^job_\w+ succeeded$/);
  expect(stdout).toMatch(/^try-on\.png: job_\w+ cost 8 credits\n$/);
  expect(code).toBe(0);
  await expectImage("try-on.png");
  expect(await charges()).toEqual([-8]);
});

it("prints on Ctrl+C how to resume the job, and resuming charges nothing more", async () => {
  const { mock, cwd, start, charges, expectImage } = await setUp({ clock: "manual" });
  const { program, end } = start(...images);
  await program.waitFor(/\n/);
  program.kill("SIGINT");
  const { code, log } = await end;
  expect(code).toBe(130);
  const resume = /^node src\/try-on\.ts (--resume job_\w+)$/.exec(log.at(-1) ?? "")?.[1];
  expect(await readdir(cwd)).toEqual([]);

  await mock.clock.advance("1m");
  const resumed = await start("--out", "result.png", ...String(resume).split(" ")).end;
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toMatch(/^result\.png: job_\w+ cost 8 credits\n$/);
  await expectImage("result.png");
  expect(await charges()).toEqual([-8]);
});

it("prints why a job failed, without a way to resume it", async () => {
  const { mock, start } = await setUp({ clock: "manual" });
  mock.nextJob({ outcome: "content_blocked" });
  const { program, end } = start(...images);
  const [job] = await program.waitFor(/^\S+/);
  program.kill("SIGINT");
  await end;
  await mock.clock.advance("1m");
  const { code, stdout, log } = await start("--resume", job).end;
  expect([code, stdout]).toEqual([1, ""]);
  expect(log.at(-1)).toContain("content_blocked");
});

it.each<[string, string[], string]>([
  ["a single image", images.slice(0, 1), "Pass a person and at least one garment."],
  ["an unknown option", ["--trousers", ...images], "--trousers"],
  ["a missing file", ["missing.jpg", "shirt.png"], "Cannot read missing.jpg."],
])("prints the usage for %s and sends nothing", async (_case, args, reason) => {
  const { mock, start } = await setUp({});
  const { code, log } = await start(...args).end;
  expect(log[0]).toContain(reason);
  expect(log[1]).toMatch(/^node src\/try-on\.ts .*<person> <garment>/);
  expect(code).toBe(2);
  expect(mock.journal.entries()).toEqual([]);
});
