import { chromium, type Browser } from "playwright-core";

import { findProgram } from "./installed-programs.ts";

export type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** Starts the installed Chromium headless, with its background requests disabled. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: await findProgram("chromium"),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
}
