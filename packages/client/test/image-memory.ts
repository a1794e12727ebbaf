// Downloads an image in a child process and reports the growth of its peak memory in bytes.
import { readFileSync, writeFileSync } from "node:fs";

import { TryOn } from "@tryon/client";
import { storeImage } from "@tryon/client/node";

/** Growth of the peak memory, and the size of the image in memory, if any. */
export interface Growth {
  readonly peak: number;
  readonly size: number | undefined;
}

const [baseUrl = "", path] = process.argv.slice(2);
const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl, maxResultBytes: 100_000_000 });
/** Downloads the image of a job, to the file or URL if there is one. */
const download = async (id: string): Promise<number | undefined> => {
  const { image } = await tryon.jobs.resume(id).result();
  if (!path) return (await image.bytes()).length;
  if (URL.canParse(path)) await storeImage(image, path);
  else await image.save(path);
  return undefined;
};

// Loads and compiles the code.
await download("job_small");
// Linux resets the peak to the current size.
writeFileSync("/proc/self/clear_refs", "5");
const before = process.memoryUsage.rss();
const size = await download("job_large");
const status = readFileSync("/proc/self/status", "utf8");
const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024 - before;
const growth: Growth = { peak, size };
process.send?.(growth);
process.disconnect();
