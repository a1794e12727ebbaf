import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import type { Check } from "../code/checks.ts";

/** That a program saves a picture of the size that it asks for. */
export const savesAPictureAt2K: Check = async ({ snippet, run, folder }) => {
  await run(snippet.code);
  const png = await readFile(join(folder, "out.png"));
  expect(png.readUInt32BE(16)).toBe(1_536);
  expect(png.readUInt32BE(20)).toBe(2_048);
};
