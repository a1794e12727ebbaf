import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { expect, it } from "vitest";

import { httpServer, listen } from "../../test/http-server.ts";
import type { Growth } from "../../test/image-memory.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";
import { startProgram } from "../../test/program.ts";
import { smallPng } from "../../test/service.ts";

/** Creates a PNG of a size, whose pixels are a text. */
function pngOf(length: number): Buffer {
  const [start, end] = [smallPng.subarray(0, 8), smallPng.subarray(-12)];
  const png = Buffer.alloc(length, "image");
  png.set(start);
  // One chunk: its length, its type, and after its data a checksum of 4 bytes.
  png.writeUInt32BE(length - start.length - end.length - 12, start.length);
  png.set(end, length - end.length);
  return png;
}

const megabyte = 1_000_000;
const size = 50 * megabyte;
/** Collects garbage often, so that the peak is what a download keeps. */
const flags = ["--max-semi-space-size=1"];

it.skipIf(process.platform !== "linux")(
  "saves and stores an image of 50 MB with little memory",
  { timeout: 120_000 },
  async () => {
    const [whole, small] = [pngOf(size), pngOf(megabyte)];
    const { url } = await httpServer((response, { url: path = "" }) => {
      const [, id] = /(job_\w+)$/.exec(path) ?? [];
      const image = id === "job_small" ? small : whole;
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
    let received = 0;
    const store = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => (received += chunk.length));
      request.on("end", () => response.end());
    });
    const stored = await measure(await listen(store));
    expect(received).toBe(size + megabyte);
    expect(stored?.peak).toBeLessThan(20 * megabyte);
    // The same measure of a download to memory, which has to find the image there.
    const inMemory = await measure();
    expect(inMemory?.size).toBe(size);
    expect(inMemory?.peak).toBeGreaterThan(size);
  },
);
