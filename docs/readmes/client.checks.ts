import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { showsAPictureInAPage } from "./page-check.ts";
import { savesAPictureAt2K } from "./picture-check.ts";
import { letsInWhomItKnows } from "./proxy-check.ts";

export const checks: Checks = {
  "client.ts": savesAPictureAt2K,
  "inspect.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("error garments.0 not_https\nerror person not_an_image\n");
  },
  "resume.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("8\n");
  },
  "wait-all.ts": async ({ snippet, run }) => {
    const jobs = `const jobs = await Promise.all([1, 2].map(() => tryon.submit({
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    })));
    await report(jobs.map(({ id }) => id));`;
    const told = await run(`${snippet.code}${jobs}`);
    expect(told).toMatch(/^(job_\w+ http:[^\s]+\n){2}$/);
  },
  "idempotency.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toBe("true\n");
  },
  "recover.ts": async ({ snippet, run }) => {
    const call = `console.log((await submitted({
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    })).status);`;
    const code = `${snippet.code}${call}`;
    expect(await run(code)).toBe("running\n");
  },
  "many.ts": async ({ snippet, run, folder }) => {
    await run(snippet.code);
    for (const name of ["shirt", "coat"]) {
      expect((await readFile(join(folder, `${name}.png`))).readUInt32BE(16)).toBe(768);
    }
  },
  "budget.ts": async ({ snippet, run }) => {
    const call = `const input: TryOnInput = {
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    };
    await previews([input, input]);
    console.log(budget.toJSON());`;
    expect(await run(`${snippet.code}${call}`)).toBe(
      "{ maxCredits: 500, spent: 16, reserved: 0, left: 484 }\n",
    );
  },
  "purchase.ts": async ({ snippet, run }) => {
    const code = `${snippet.code}console.log(await buy("spt_one"));`;
    expect(await run(code)).toBe("1200 credits more\n");
  },
  "proxy.ts": letsInWhomItKnows("proxy"),
  "page.ts": showsAPictureInAPage,
  "watch.ts": async ({ snippet, run }) => {
    const told = await run(snippet.code);
    expect(told).toMatch(/^GET \/api\/v1\/account: attempt 1 ended in 200 after \d+ ms\n/);
    expect(told).toMatch(/\n\d+ undefined \d+\n$/);
  },
};
