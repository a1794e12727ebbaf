import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { expect, onTestFinished } from "vitest";

const script = join(import.meta.dirname, "../try-on.ts");
export const pictures = ["person.jpg", "shirt.png"].map((name) =>
  join(import.meta.dirname, "../../../assets", name),
);

/** A reference server, and a folder to run the script in. */
export async function openFolder(options: MockOptions) {
  const mock = createMock(options);
  const service = await serve(mock);
  const folder = await mkdtemp(join(tmpdir(), "tryon-node-"));
  onTestFinished(async () => {
    await service.close();
    mock.close();
    await rm(folder, { recursive: true });
  });
  const env = { ...process.env, TRYON_BASE_URL: service.url, TRYON_API_KEY: mock.keys.live };
  const run = (...args: readonly string[]) => {
    const command = ["--conditions=@tryon/source", script, ...args];
    const child = spawn(process.execPath, command, { cwd: folder, env, stdio: "pipe" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stderr });
    const said: string[] = [];
    lines.on("line", (line) => said.push(line));
    const ended = Promise.all([once(child, "exit"), text(child.stdout), once(lines, "close")]);
    const end = ended.then(([[code], output]) => ({ code: Number(code), output, said }));
    return { child, lines, end };
  };
  const charges = async () => 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? Number.NaN);
  return { mock, folder, run, charges };
}

export async function expectPicture(path: string): Promise<void> {
  expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
}
