import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { describe, expect, it } from "vitest";

import { describeLayers, findUpwardImports, layers, sourcesOf } from "./layers.ts";

describe.each(Object.keys(layers))("packages/%s", (name) => {
  it("imports only what is below", () => {
    const sources = sourcesOf(name);
    expect(Object.keys(sources).length).toBeGreaterThan(10);
    expect(findUpwardImports(name, sources)).toEqual([]);
  });

  it("has no layer without files", () => {
    const files = Object.keys(sourcesOf(name));
    const parts = (layers[name] ?? []).flat().flatMap((layer) => layer.split(" + "));
    const isMissing = (part: string) =>
      !files.some((file) => new RegExp(`/src/${part}(/|\\.tsx?$)`).test(file));
    expect(parts.filter(isMissing)).toEqual([]);
  });
});

/** Returns the number of problems of a file of the client. */
function find(folder: string, text: string): number {
  return findUpwardImports("client", { [`packages/client/src/${folder}/a.ts`]: text }).length;
}

it("rejects an import of a layer above, and of one in the same row", () => {
  expect(find("http", 'import type { Any } from "../jobs/any.ts";')).toBe(1);
  expect(find("batch", 'import type { Any } from "../proxy/any.ts";')).toBe(1);
  expect(find("jobs", 'import type { Any } from "../http/any.ts";')).toBe(0);
});

it("sees imports by the name of the package and for a platform, and files in no layer", () => {
  expect(find("http", 'export { batch } from "@tryon/client/batch";')).toBe(1);
  expect(find("http", 'const { run } = await import("@tryon/client");')).toBe(1);
  expect(find("config", 'import { Connections } from "#runtime";')).toBe(1);
  expect(find("jobs", 'import { Connections } from "#runtime";')).toBe(0);
  expect(find("batch", 'import { TryOn } from "@tryon/client";')).toBe(0);
  expect(find("http", ' * import { batch } from "@tryon/client/batch";')).toBe(0);
  expect(find("unlisted", "")).toBe(1);
});

it("is the list that the decisions show", () => {
  const page = readFileSync(join(root, "docs/decisions/client.md"), "utf8");
  expect(page).toContain(`\n${describeLayers("client")}\n`);
});
