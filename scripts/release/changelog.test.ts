import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { packageFolder as folderOf, published } from "@tryon/test-kit/packages";
import { notesOf } from "./changelog.ts";

const changelog = "# a\n\n## 1.1.0\n\n### Minor\n\n- New.\n\n## 1.0.0\n\nFirst.\n\n## 0.9.0\n";

it("finds what a changelog says of a version", () => {
  expect(notesOf(changelog, "1.1.0")).toBe("### Minor\n\n- New.");
  expect(notesOf(changelog, "1.0.0")).toBe("First.");
});

it("finds nothing for a version that is not there, or of which nothing is said", () => {
  expect(notesOf(changelog, "1.0")).toBeUndefined();
  expect(notesOf(changelog, "0.9.0")).toBeUndefined();
});

it.each(published)("says something of the version that %s has", (name) => {
  const manifest = JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as {
    version: string;
  };
  const text = readFileSync(join(folderOf(name), "CHANGELOG.md"), "utf8");
  expect(notesOf(text, manifest.version)).toEqual(expect.any(String));
});
