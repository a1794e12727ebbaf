// Records with the network panel of Chromium, whose own code writes the file, with keys and, as by default, without.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { given, output } from "./given.mjs";
import { scenario } from "./scenario.mjs";

const port = process.env.RECORDED_PORT;
const browser = await chromium.launch({
  executablePath: process.env.RECORDED_CHROMIUM,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    `--remote-debugging-port=${port}`,
    "--remote-allow-origins=*",
  ],
});
const own = given();
const page = await browser.newPage();
await page.goto(`${own.baseUrl}/api/docs`);
const pages = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
const { id } = pages.find(({ url }) => url.startsWith(own.baseUrl));
const panel = await browser.newPage();
const socket = `ws=127.0.0.1:${port}/devtools/page/${id}`;
await panel.goto(`http://127.0.0.1:${port}/devtools/devtools_app.html?${socket}`);
/** Counts the finished requests to a path in the panel, which records once it has connected. */
async function countRequests(path) {
  return panel.evaluate(async (end) => {
    const { NetworkLog } = await import(new URL("models/logs/logs.js", location.href).href);
    const requests = NetworkLog.NetworkLog.instance().requests();
    return requests.filter((one) => one.finished && one.url().endsWith(end)).length;
  }, path);
}
while ((await countRequests("/docs")) === 0) {
  await page.evaluate(() => fetch("/api/docs").then((response) => response.text()));
}
await page.evaluate(`(${String(scenario)})(${JSON.stringify(own)})`);
// The scenario reads the account five times, and at its end.
while ((await countRequests("/account")) < 5);
for (const [name, sanitize] of [
  ["devtools", false],
  ["devtools-sanitized", true],
]) {
  const har = await panel.evaluate(async (isSanitized) => {
    const [{ NetworkLog }, { Writer }, { Progress }] = await Promise.all(
      ["models/logs/logs.js", "models/har/har.js", "core/common/common.js"].map(
        (path) => import(new URL(path, location.href).href),
      ),
    );
    let text = "";
    const stream = { write: (part) => Promise.resolve((text += part)) };
    const requests = NetworkLog.NetworkLog.instance().requests();
    const progress = new Progress.Progress();
    await Writer.Writer.write(stream, requests, { sanitize: isSanitized }, progress);
    return text;
  }, sanitize);
  writeFileSync(join(output, `${name}.har`), har);
}
await browser.close();
