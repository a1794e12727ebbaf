import { expect, test } from "vitest";

import { installedEngines, type Engine } from "@tryon/test-kit/browsers";
import { bundleClient, openPage, startBrowser } from "../../test/browser.ts";
import { privateFields } from "../../test/encoders.ts";
import {
  cellOf,
  createImages,
  prepareInPage,
  readEngineTable,
  writeEngineTable,
} from "../../test/engine-images.ts";

const engines = await installedEngines();

test("the guide says what each engine does; `TRYON_ENGINES=write` writes it", async () => {
  const [images, bundle] = await Promise.all([createImages(), bundleClient()]);
  const table = new Map<string, Partial<Record<Engine, string>>>();
  const versions: Partial<Record<Engine, string>> = {};
  for (const engine of engines) {
    const browser = await startBrowser(engine);
    try {
      versions[engine] = browser.version();
      const { page } = await openPage(browser, bundle);
      const prepared = await prepareInPage(page, images);
      for (const image of prepared) {
        table.set(image.name, { ...table.get(image.name), [engine]: await cellOf(image) });
      }
      const fields = await privateFields(...prepared.flatMap(({ bytes }) => bytes ?? []));
      expect(fields.flat()).toEqual([]);
    } finally {
      await browser.close();
    }
  }
  // Each image is right or keeps a warning, and no right one keeps a warning.
  const cells = [...table.values()].flatMap((row) => Object.values(row));
  expect(cells.filter((cell) => /wrong|right/.test(cell))).toEqual([]);
  if (process.env["TRYON_ENGINES"] === "write") await writeEngineTable(table, versions);
  const inGuide = await readEngineTable();
  for (const [name, row] of table) expect([name, inGuide.get(name)]).toMatchObject([name, row]);
  expect(inGuide.size).toBe(table.size);
});
