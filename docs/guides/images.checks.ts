import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

import { expect } from "vitest";

import { startChromium } from "@tryon/test-kit/chromium";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import type { Checks } from "../code/checks.ts";

const encoded = (content: string | Uint8Array): string => Buffer.from(content).toString("base64");

export const checks: Checks = {
  "shrink.ts": async ({ snippet, folder }) => {
    const hasChromium = await isInstalled("chromium");
    if (!hasChromium) return;
    const code = encoded(stripTypeScriptTypes(snippet.code));
    const photo = encoded(await readFile(join(folder, "me.jpg")));
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      const shrunk = await page.evaluate(`(async () => {
          const { shrink } = await import("data:text/javascript;base64,${code}");
          const photo = await (await fetch("data:image/jpeg;base64,${photo}")).blob();
          const sizes = [];
          for (const longest of [600, undefined]) {
            const blob = await shrink(photo, longest);
            const { width, height } = await createImageBitmap(blob);
            sizes.push([blob.type, width, height]);
          }
          return sizes;
        })()`);
      // It has 900 × 1,200 pixels, and is made no larger.
      expect(shrunk).toEqual([
        ["image/jpeg", 450, 600],
        ["image/jpeg", 900, 1_200],
      ]);
    } finally {
      await browser.close();
    }
  },

  "keep.ts": async ({ snippet, run, folder }) => {
    const submit = `
      const job = await tryon.submit({
        person: "https://shop.example/me.jpg",
        garments: ["https://shop.example/shirt.png"],
      });
      console.log(await keep(job.id));`;
    const file = (await run(`${snippet.code}${submit}`)).trim();
    expect(file).toMatch(/^job_\w+\.png$/);
    expect((await readFile(join(folder, file))).readUInt32BE(16)).toBe(768);
  },
};
