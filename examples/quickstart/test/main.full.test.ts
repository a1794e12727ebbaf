import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assetPath } from "@tryon/test-kit/repository";
import { startScript } from "@tryon/test-kit/start-program";
import { afterAll, beforeAll, expect, it } from "vitest";

const hat = assetPath("hat.png");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-quickstart-"));
  await writeFile(join(folder, "a.jpg"), await readFile(assetPath("person.jpg")));
  await writeFile(join(folder, "b.png"), await readFile(hat));
  await writeFile(join(folder, "text.jpg"), "This is not an image.\n");
  await writeFile(join(folder, "empty.png"), "");
});
afterAll(() => rm(folder, { recursive: true }));

function start(...args: string[]) {
  const env = { ...process.env, INIT_CWD: folder };
  return startScript(join(import.meta.dirname, "../src/main.ts"), args, { env });
}

async function imageSize(name: string): Promise<readonly [number, number]> {
  const png = await readFile(join(folder, name));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

it("makes two try-ons and prints the images, their cost and the balance in plain lines", async () => {
  const { ended, output } = start("--out", "default");
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(output.stderr).toBe("");
  expect(await imageSize("default/try-on-2k.png")).toEqual([1_536, 2_048]);
  expect(await imageSize("default/try-on-webhook.png")).toEqual([768, 1_024]);
  for (const line of [
    /Images: person\.jpg \(\d+ kB\), shirt\.png \(\d+ kB\), jacket\.webp/,
    /job_\w+ cost 12 credits/,
    /webhook tryon\.completed with a valid signature: job_\w+ succeeded/,
    /job_\w+ cost 8 credits/,
    /Credits left: 980/,
    /Next steps\n  use your own images: npm start -- --person/,
  ]) {
    expect(output.stdout).toMatch(line);
  }
  expect(output.stdout).not.toContain("\u001B");
});

it("resolves the user's files against the folder of the command", async () => {
  const { ended, output } = start("--person", "a.jpg", "--garment", "b.png", "--out", "own");
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(output.stdout).toMatch(/Images: a\.jpg \(\d+ kB\), b\.png \(\d+ kB\)/);
  expect(await imageSize("own/try-on-2k.png")).toEqual([1_536, 2_048]);
});

it.each<[string, string[], RegExp]>([
  ["a missing file", ["--person", "missing.jpg"], /^Cannot read .*missing\.jpg\./],
  ["a folder", ["--person", "."], /^Cannot read .* Check that it is a file/],
  ["a text file named .jpg", ["--person", "text.jpg"], /text\.jpg: .*image/],
  ["a text file as a garment", ["--garment", "text.jpg"], /text\.jpg: .*image/],
  ["an empty file", ["--garment", "empty.png"], /empty\.png: .*empty/],
  ["a fourth garment", Array(4).fill(`--garment=${hat}`), /at most 3|1 to 3/],
  ["an unknown option", ["--trousers", "x"], /--trousers.*npm start -- --help/],
])("prints one line about %s and exits with code 1", async (_case, args, line) => {
  const { ended, output } = start(...args);
  expect(await ended).toEqual({ code: 1, signal: null });
  expect(output.stderr).toMatch(line);
  expect(output.stderr.trim().split("\n")).toHaveLength(1);
});

it("stops silently when the reader closes the pipe, and stops the reference server", async () => {
  const program = start("--out", "unread");
  const [, url] = await program.waitFor(/listens on (http:\S+)\.\n/);
  program.child.stdout?.destroy();
  await once(program.child, "exit");
  expect(program.output.stderr).toBe("");
  await expect(fetch(`${url}/api/discovery`)).rejects.toThrow("fetch failed");
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("stops on %s and stops the reference server", async (signal, code) => {
  const program = start("--out", "stopped");
  const [, url] = await program.waitFor(/listens on (http:\S+)\.\n/);
  await program.waitFor(/submitting/);
  await expect(fetch(`${url}/api/discovery`)).resolves.toMatchObject({ status: 200 });
  expect(await program.stop(signal)).toEqual({ code, signal: null });
  await expect(fetch(`${url}/api/discovery`)).rejects.toThrow("fetch failed");
});
