// Measures the peak memory of the first upload of this process, which loads nothing but the client.
import { readFileSync, statSync, writeFileSync } from "node:fs";

import { uploaders } from "../candidates/clients.ts";

const [name = "", url = "", ...files] = process.argv.slice(2);
const upload = await uploaders[name]?.(url, files);
const imageBytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
/** Bytes that the sink has received. */
const receivedBytes = async () => Number(await (await fetch(url)).text());

const receivedBefore = await receivedBytes();
// Linux resets the peak to the current size.
writeFileSync("/proc/self/clear_refs", "5");
const before = process.memoryUsage.rss();
await upload?.();
const status = readFileSync("/proc/self/status", "utf8");
const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
const sent = (await receivedBytes()) - receivedBefore;
if (!(sent >= imageBytes)) throw new Error(`${name} did not send every image.`);

process.stdout.write(JSON.stringify({ memory: { [name]: (peak - before) / imageBytes } }));
// Kept connections would keep this process running.
process.exit();
