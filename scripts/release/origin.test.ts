import { expect, it } from "vitest";

import { linkedFiles } from "./links.ts";
import { originFrom, publishedManifest, publishedReadme } from "./origin.ts";

const origin = originFrom({
  GITHUB_SERVER_URL: "https://github.example",
  GITHUB_REPOSITORY: "ada/hats",
  GITHUB_SHA: "c0ffee",
});
const folder = "packages/hat";

it("tells the registry where the code of a package is", () => {
  expect(publishedManifest({ name: "@tryon/hat", version: "1.0.0" }, folder, origin)).toEqual({
    name: "@tryon/hat",
    version: "1.0.0",
    homepage: "https://github.example/ada/hats/tree/HEAD/packages/hat#readme",
    bugs: { url: "https://github.example/ada/hats/issues" },
    repository: {
      type: "git",
      url: "git+https://github.example/ada/hats.git",
      directory: "packages/hat",
    },
  });
});

it("leaves out what only the repository needs", () => {
  const manifest = { name: "@tryon/hat", scripts: { build: "tsup" }, devDependencies: { a: "1" } };
  expect(publishedManifest(manifest, folder, undefined)).toEqual({ name: "@tryon/hat" });
});

it("knows no origin where no workflow tells one", () => {
  expect(originFrom({})).toBeUndefined();
  expect(originFrom({ GITHUB_REPOSITORY: "ada/hats" })).toBeUndefined();
});

const readme = [
  "See [why](../../docs/why.md#because), [the mock](../mock), [here](#here),",
  "[there](https://hats.example/a) and [this](LICENSE).",
  "`[code](../../docs/no.md)`",
  "```ts",
  "const a = list[0](../../docs/no.md);",
  "```",
].join("\n");

it("turns the links of a README into addresses of what is released, and nothing else", () => {
  const at = "https://github.example/ada/hats/blob/c0ffee";
  const shown = readme
    .replace("../../docs/why.md", `${at}/docs/why.md`)
    .replace("../mock", `${at}/packages/mock`)
    .replace("(LICENSE", `(${at}/packages/hat/LICENSE`);
  expect(publishedReadme(readme, folder, origin)).toBe(shown);
  expect(publishedReadme(readme, folder, undefined)).toBe(readme);
});

it("lists the files that a README links to", () => {
  expect(linkedFiles(readme, folder)).toEqual([
    "docs/why.md",
    "packages/mock",
    "packages/hat/LICENSE",
  ]);
});
