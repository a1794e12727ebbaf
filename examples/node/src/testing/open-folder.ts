import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { assetPath } from "@tryon/test-kit/repository";
import { startScript } from "@tryon/test-kit/start-program";
import { expect, onTestFinished } from "vitest";

const script = join(import.meta.dirname, "../try-on.ts");
export const pictures = ["person.jpg", "shirt.png"].map(assetPath);

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
    const program = startScript(script, args, { cwd: folder, env });
    onTestFinished(() => program.kill("SIGKILL"));
    const end = program.ended.then(({ code }) => ({
      code,
      output: program.output.stdout,
      said: program.output.stderr.split("\n").slice(0, -1),
    }));
    return { program, end };
  };
  const charges = async () => 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? Number.NaN);
  return { mock, folder, run, charges };
}

export async function expectPicture(path: string): Promise<void> {
  expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
}
