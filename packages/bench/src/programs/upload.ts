// Measures the peak memory of the first uploads of this process, which loads nothing but the client.
import { readFileSync, statSync, writeFileSync } from "node:fs";

import { uploaders } from "../candidates/clients.ts";

const [count = "", name = "", url = "", ...files] = process.argv.slice(2);
const upload = await uploaders[name]?.(url, files);
const imageBytes = Number(count) * files.reduce((sum, file) => sum + statSync(file).size, 0);
const receivedBytes = async () => Number(await (await fetch(url)).text());

const receivedBefore = await receivedBytes();
// Linux resets the peak to the current size.
writeFileSync("/proc/self/clear_refs", "5");
const before = process.memoryUsage.rss();
await Promise.all(Array.from({ length: Number(count) }, () => upload?.()));
const status = readFileSync("/proc/self/status", "utf8");
const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
const sent = (await receivedBytes()) - receivedBefore;
if (!(sent >= imageBytes)) throw new Error(`${name} did not send every image.`);

const growth = peak - before;
const sample =
  count === "1"
    ? { memory: { [name]: growth / imageBytes } }
    : { concurrentMemory: { [name]: growth / 2 ** 20 } };
process.stdout.write(JSON.stringify(sample));
// Kept connections would keep this process running.
process.exit();
