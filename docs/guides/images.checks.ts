import { readFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "keep.ts": async ({ snippet, run, app }) => {
    const submit = `
      const job = await tryon.submit({
        person: "https://shop.example/me.jpg",
        garments: ["https://shop.example/shirt.png"],
      });
      console.log(await keep(job.id));`;
    const file = (await run(`${snippet.code}${submit}`)).trim();
    expect(file).toMatch(/^job_\w+\.png$/);
    expect((await readFile(app.path(file))).readUInt32BE(16)).toBe(768);
  },
  "copy.ts": async ({ snippet, run, app }) => {
    const store = `
      import { createWriteStream } from "node:fs";
      await copyAll(["shirt"], async (key) => createWriteStream(key.replace("looks/", "")));`;
    const [, size] = (await run(`${snippet.code}${store}`)).split(" ");
    expect((await readFile(app.path("shirt.png"))).length).toBe(Number(size));
  },
};
