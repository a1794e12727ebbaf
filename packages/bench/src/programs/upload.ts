// Measures the peak memory of the first upload of this process, through one client.
import { readFileSync, statSync, writeFileSync } from "node:fs";

import { uploaders } from "../candidates/uploaders.ts";

const [name = "", url = "", ...paths] = process.argv.slice(2);
const upload = await uploaders[name]?.(url, paths);
if (upload === undefined) throw new RangeError(`There is no uploader ${name}.`);
const imageBytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);

/** Bytes that the sink has received. */
async function receivedBytes(): Promise<number> {
  const { received } = (await (await fetch(url)).json()) as { received: number };
  return received;
}

const receivedBefore = await receivedBytes();
// Linux resets the peak to the current size.
writeFileSync("/proc/self/clear_refs", "5");
const before = process.memoryUsage.rss();
await upload();
const status = readFileSync("/proc/self/status", "utf8");
const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
if ((await receivedBytes()) - receivedBefore < imageBytes) {
  throw new Error(`${name} did not send every image.`);
}

process.stdout.write(JSON.stringify({ memory: { [name]: (peak - before) / imageBytes } }));
// Kept connections would keep this process running.
process.exit();
