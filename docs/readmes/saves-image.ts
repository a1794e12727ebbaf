import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import type { Check } from "../code/checks.ts";

/** Checks that a program saves an image of the requested size. */
export const savesImageAt2K: Check = async ({ snippet, run, folder }) => {
  await run(snippet.code);
  const png = await readFile(join(folder, "out.png"));
  expect(png.readUInt32BE(16)).toBe(1_536);
  expect(png.readUInt32BE(20)).toBe(2_048);
};
