import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { assetPath, node } from "@tryon/test-kit/repository";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = ["--conditions=@tryon/source", join(import.meta.dirname, "main.ts")];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-quickstart-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function quickstart(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, INIT_CWD: folder };
    execFile(node, [...program, ...args], { env }, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

async function pngSize(path: string): Promise<readonly [number, number]> {
  const png = await readFile(path);
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("the quickstart", () => {
  it("does two try-ons and says what was sent, what it cost and what is left, in plain lines", async () => {
    const ended = await quickstart("--out", "default");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(await pngSize(join(folder, "default/try-on-2k.png"))).toEqual([1_536, 2_048]);
    expect(await pngSize(join(folder, "default/try-on-webhook.png"))).toEqual([768, 1_024]);
    expect(ended.stdout).toMatch(
      /sent: person\.jpg \(\d+ kB\), shirt\.png \(\d+ kB\), jacket\.webp/,
    );
    expect(ended.stdout).toMatch(/job_\w+ cost 12 credits/);
    expect(ended.stdout).toMatch(
      /webhook tryon\.completed with a valid signature: job_\w+ succeeded/,
    );
    expect(ended.stdout).toMatch(/job_\w+ cost 8 credits/);
    expect(ended.stdout).toContain("980 credits are left");
    expect(ended.stdout).not.toContain("\u001B");
  }, 60_000);

  it("takes the user's own files, from the folder that the command was typed in", async () => {
    await writeFile(join(folder, "a.jpg"), await readFile(assetPath("person.jpg")));
    await writeFile(join(folder, "b.png"), await readFile(assetPath("hat.png")));
    const ended = await quickstart("--person", "a.jpg", "--garment", "b.png", "--out", "own");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/sent: a\.jpg \(\d+ kB\), b\.png \(\d+ kB\)/);
    expect(await pngSize(join(folder, "own/try-on-2k.png"))).toEqual([1_536, 2_048]);
  }, 60_000);

  it.each([
    ["a missing file", ["--person", "nobody.jpg"], /^There is no file .*nobody\.jpg\.$/],
    ["a folder in place of a file", ["--person", "."], /is not a file\.$/],
    ["a text file named .jpg", ["--person", "text.jpg"], /text\.jpg: .*image/],
    ["a text file as a garment", ["--garment", "text.jpg"], /text\.jpg: .*image/],
    ["an empty file", ["--garment", "empty.png"], /empty\.png: .*empty/],
    [
      "a fourth garment",
      ["a", "b", "c", "d"].flatMap(() => ["--garment", assetPath("hat.png")]),
      /at most 3|1 to 3/,
    ],
    ["an unknown option", ["--trousers", "x"], /--trousers.*npm start -- --help/],
  ])(
    "answers %s with one clear sentence and exit code 1",
    async (_case, args, sentence) => {
      await writeFile(join(folder, "text.jpg"), "This is no picture, whatever its name says.\n");
      await writeFile(join(folder, "empty.png"), "");
      const ended = await quickstart(...args);
      expect(ended.code).toBe(1);
      expect(ended.stderr.trim()).toMatch(sentence);
      expect(ended.stderr.trim().split("\n")).toHaveLength(1);
      expect(ended.stderr).not.toMatch(/^\s+at /m);
    },
    60_000,
  );

  it("ends without a word when nobody reads its output any more, and takes the reference server with it", async () => {
    const child = spawn(node, [...program, "--out", "unread"], {
      env: { ...process.env, INIT_CWD: folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "exit");
    const complaint = text(child.stderr);
    let read = "";
    for await (const chunk of child.stdout) {
      read += String(chunk);
      if (read.includes("listens on")) break;
    }
    const baseUrl = /listens on (http:\S+)\.\n/.exec(read)?.[1] ?? "";
    await ended;
    expect(await complaint).toBe("");
    await expect(fetch(`${baseUrl}/api/discovery`)).rejects.toThrow("fetch failed");
  }, 60_000);

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "ends on %s and takes the reference server with it",
    async (signal, code) => {
      const child = spawn(node, [...program, "--out", "stopped"], {
        env: { ...process.env, INIT_CWD: folder },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(child, "exit");
      let read = "";
      // The stream stays open: a program whose output nobody takes any more would fail for that reason.
      for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
        read += String(chunk);
        if (read.includes("sent:")) break;
      }
      const baseUrl = /listens on (http:\S+)\.\n/.exec(read)?.[1] ?? "";
      await expect(fetch(`${baseUrl}/api/discovery`)).resolves.toMatchObject({ status: 200 });
      child.kill(signal);
      expect(await ended).toEqual([code, null]);
      await expect(fetch(`${baseUrl}/api/discovery`)).rejects.toThrow("fetch failed");
    },
    60_000,
  );
});
