import { readFile } from "node:fs/promises";
import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { hasChromium, openPage, untilShown } from "../code/shop-page.ts";
import {
  acceptsKnownUsersOnly,
  receives,
  savesImageAt2K,
  showsImageInPage,
} from "./shared-checks.ts";

export const checks: Checks = {
  "client.ts": savesImageAt2K,
  "prepare.ts": async ({ snippet, run }) => {
    const print = "console.log(person.type, result.job.status);";
    expect(await run(`${snippet.code}${print}`)).toBe("image/jpeg succeeded\n");
  },
  "recover.ts": async ({ snippet, run }) => {
    const call = `console.log((await submit({
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    })).status);`;
    expect(await run(`${snippet.code}${call}`)).toBe("running\n");
  },
  "proxy.ts": acceptsKnownUsersOnly("proxy"),
  "page.ts": showsImageInPage,
  "session.ts": async (context) => {
    expect(context.snippet.code).toContain("createTryOnSession");
    if (!hasChromium) return;
    const { page, charges } = await openPage(
      context,
      `const [button, element] = ["button", "img"].map((name) => document.querySelector(name)) as never[];
      showTryOn(button as never, await (await fetch("/me.jpg")).blob() as File, element as never);`,
    );
    await page.locator("button").click();
    await untilShown(page, "img");
    await page.reload();
    await untilShown(page, "img");
    expect(await charges()).toBe(1);
  },
  "batch.ts": async ({ snippet, run, app }) => {
    await run(snippet.code);
    for (const name of ["shirt", "coat"]) {
      expect((await readFile(app.path(`${name}.png`))).readUInt32BE(16)).toBe(768);
    }
  },
  "webhook.ts": receives("await POST(request)"),
};
