import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { pagesWithFiles, withFiles } from "./shown-files.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tryon-shown-"));
  await mkdir(join(root, "examples/shop/src"), { recursive: true });
  await mkdir(join(root, "docs/guides"), { recursive: true });
  const server = `const a = 1;
function mount() {
  // #region mount
  use(a);
    deep(a);
  // #endregion
}
`;
  await writeFile(join(root, "examples/shop/src/server.ts"), server);
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

async function shown(text: string): Promise<string> {
  await writeFile(join(root, "docs/guides/shop.md"), text);
  return await withFiles(root, "docs/guides/shop.md");
}

it("shows a file as it stands, without the lines that mark its regions", async () => {
  expect(await shown("a\n\n```ts examples/shop/src/server.ts\nold\n```\n\nb\n")).toBe(
    "a\n\n```ts examples/shop/src/server.ts\nconst a = 1;\nfunction mount() {\n  use(a);\n    deep(a);\n}\n```\n\nb\n",
  );
});

it("shows a region, as far to the left as it goes", async () => {
  expect(await shown("```ts examples/shop/src/server.ts#mount\n```\n")).toBe(
    "```ts examples/shop/src/server.ts#mount\nuse(a);\n  deep(a);\n```\n",
  );
});

it("leaves other code alone, and pages that show no file", async () => {
  const text = "```ts shop.ts\nconst path = 1;\n```\n\n```sh\nls examples/shop\n```\n";
  expect(await shown(text)).toBe(text);
  expect(await pagesWithFiles(root)).toEqual([]);
  await shown("```ts examples/shop/src/server.ts\n```\n");
  expect(await pagesWithFiles(root)).toEqual(["docs/guides/shop.md"]);
});

it("names the page where a file or a region is not there", async () => {
  await expect(shown("```ts examples/shop/src/none.ts\n```\n")).rejects.toThrow(
    "docs/guides/shop.md shows examples/shop/src/none.ts, which is not there.",
  );
  await expect(shown("```ts examples/shop/src/server.ts#none\n```\n")).rejects.toThrow(
    "docs/guides/shop.md: examples/shop/src/server.ts has no region none.",
  );
});
