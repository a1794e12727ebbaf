import { access, constants } from "node:fs/promises";

import { chromium, type Browser } from "playwright-core";

/** Where the browser is, or undefined where there is none; in CI there has to be one. */
export async function chromiumPath(): Promise<string | undefined> {
  const path = process.env["TRYON_CHROMIUM"] ?? "/usr/bin/chromium";
  try {
    await access(path, constants.X_OK);
    return path;
  } catch (error) {
    const advice = `There is no Chromium at ${path}: install it, or name one in TRYON_CHROMIUM`;
    if (process.env["CI"] === "true") throw new Error(`${advice}.`, { cause: error });
    process.stderr.write(`${advice}; the page is not looked at.\n`);
    return undefined;
  }
}

/** Starts the browser without a window, and with nothing that goes online by itself. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"],
  });
}
