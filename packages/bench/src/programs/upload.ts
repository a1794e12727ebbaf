// Uploads images through one client: peak memory of the first upload, then times of further ones.
import { readFileSync, statSync, writeFileSync } from "node:fs";

import { uploaders } from "../candidates/uploaders.ts";
import { median } from "../statistics.ts";

const [name = "", url = "", uploads = "", ...paths] = process.argv.slice(2);
const upload = await uploaders[name]?.(url, paths);
if (upload === undefined) throw new RangeError(`There is no uploader ${name}.`);
const imageBytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);

/** Peak of resident memory in bytes. */
function readPeak(): number {
  return (
    Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1_024
  );
}

// Loads what `fetch` needs, which is not memory of an upload.
await fetch(url).then((response) => response.text());
globalThis.gc?.();
// Linux resets the peak to the current size.
writeFileSync("/proc/self/clear_refs", "5");
const before = process.memoryUsage.rss();
await upload();
const memory = { [name]: (readPeak() - before) / imageBytes };

const times: number[] = [];
for (let count = 0; count < Number(uploads); count += 1) {
  const start = performance.now();
  await upload();
  times.push(performance.now() - start);
}
const time = times.length === 0 ? {} : { [name]: median(times) };
process.stdout.write(JSON.stringify({ memory, time }));
// Kept connections would keep this process running.
process.exit();
