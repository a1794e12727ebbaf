import { stat } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { httpServer } from "../../test/http-server.ts";
import type { Growth } from "../../test/image-memory.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";
import { startProgram } from "../../test/program.ts";

const megabyte = 1_000_000;
const size = 50 * megabyte;
/** Collects garbage often, so that the peak is what a download keeps. */
const flags = ["--max-semi-space-size=1"];

it.skipIf(process.platform !== "linux")(
  "saves an image of 50 MB with little memory",
  { timeout: 120_000 },
  async () => {
    const whole = Buffer.alloc(size, "image");
    const { url } = await httpServer((response, { url: path = "" }) => {
      const [, id] = /(job_\w+)$/.exec(path) ?? [];
      const image = id === "job_small" ? whole.subarray(0, megabyte) : whole;
      if (!path.startsWith("/api/")) return response.end(image);
      const job = { status: "succeeded", result_bytes: image.length };
      return response.end(JSON.stringify({ ...job, job_id: id, result_url: `${url}/${id}` }));
    });
    const folder = await temporaryFolder();
    const file = join(folder, "out.png");
    const measure = async (...path: string[]): Promise<Growth | undefined> => {
      const program = startProgram<Growth>("image-memory.ts", [url, ...path], folder, flags);
      const growth = await program.next();
      expect(await program.end).toEqual({ code: 0, errors: "" });
      return growth;
    };
    const saved = await measure(file);
    expect((await stat(file)).size).toBe(size);
    expect(saved?.peak).toBeLessThan(20 * megabyte);
    // The same measure of a download to memory, which has to find the image there.
    const inMemory = await measure();
    expect(inMemory?.size).toBe(size);
    expect(inMemory?.peak).toBeGreaterThan(size);
  },
);
