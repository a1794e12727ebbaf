// Records with Playwright in its forms: bodies in the file, in side files, in a zip, or left out, and the minimal mode.
import { join } from "node:path";

import { chromium } from "playwright-core";

import { given, output } from "./given.mjs";
import { scenario } from "./scenario.mjs";

const browser = await chromium.launch({
  executablePath: process.env.RECORDED_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu"],
});
for (const [file, recordHar] of Object.entries({
  "playwright-embed.har": { content: "embed" },
  "playwright-attach/recording.har": { content: "attach" },
  "playwright-zip.zip": {},
  "playwright-omit.har": { content: "omit" },
  "playwright-minimal.har": { content: "embed", mode: "minimal" },
})) {
  const context = await browser.newContext({
    recordHar: { path: join(output, file), ...recordHar },
  });
  const page = await context.newPage();
  const own = given();
  await page.goto(`${own.baseUrl}/api/docs`);
  await page.evaluate(`(${String(scenario)})(${JSON.stringify(own)})`);
  await context.close();
}
await browser.close();
