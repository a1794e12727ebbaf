import { access, constants } from "node:fs/promises";

import { chromium, type Browser } from "playwright-core";

/** Where the browser is looked for, and whether it is there. */
export interface Chromium {
  readonly path: string;
  readonly present: boolean;
}

/**
 * Looks for the browser. Without one, tests that need it are left out and a line says so.
 *
 * @throws Error in CI, where tests must not be left out.
 */
export async function findChromium(): Promise<Chromium> {
  const path = process.env["TRYON_CHROMIUM"] ?? "/usr/bin/chromium";
  const present = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  const advice = `There is no Chromium at ${path}: install it, or name one in TRYON_CHROMIUM`;
  if (!present && process.env["CI"] === "true") throw new Error(`${advice}.`);
  if (!present) process.stderr.write(`${advice}; tests in the browser are left out.\n`);
  return { path, present };
}

/** Starts the browser with no window, and with nothing that goes online by itself. */
export function startChromium(
  executablePath: string,
  more: readonly string[] = [],
): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  });
}
