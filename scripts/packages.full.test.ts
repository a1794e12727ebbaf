import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { packageFolder, packedPackages, published, type Published } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";

const tarballs = await packedPackages();
const always = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
const thirdParty = "dist/THIRD-PARTY-LICENSES.txt";
const maxBytes = { client: 280_000, webhooks: 150_000, mock: 400_000, contract: 150_000 };

/** APIs that came after Chrome 120, Firefox 115 or Safari 17, the oldest browsers in docs/support.md. */
const tooNew =
  /\b(?:AbortSignal\.any|Array\.fromAsync|Iterator\.from|(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|RegExp\.escape|Symbol\.(?:asyncDispose|dispose)|URL\.parse|Uint8Array\.from(?:Base64|Hex))\b|\.(?:isSubsetOf|isSupersetOf|isWellFormed|symmetricDifference|toBase64|toHex|toWellFormed)\(/;

async function tar(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("tar", args, { maxBuffer: 16_000_000 });
  return stdout;
}

it.each(published)("packs only what users of %s need", async (name) => {
  const listed = await tar("-tzf", tarballs[name]);
  const files = listed
    .trim()
    .split("\n")
    .map((file) => file.replace("package/", ""));
  const others = files.filter((file) => !/^dist\/[\w/-]+\.(?:js|cjs|d\.ts|d\.cts)$/.test(file));
  expect(others.toSorted()).toEqual(name === "mock" ? [...always, thirdParty].toSorted() : always);
  expect(files.filter((file) => /testing|tests?\//.test(file))).toEqual([]);
  expect((await stat(tarballs[name])).size).toBeLessThan(maxBytes[name]);
});

it.each(published)("packs no path of this machine, source or source map in %s", async (name) => {
  const text = await tar("-xzOf", tarballs[name]);
  const leaks = [root, "@tryon/source", "\n//# sourceMappingURL="];
  expect(leaks.filter((leak) => text.includes(leak))).toEqual([]);
  const manifest = await tar("-xzOf", tarballs[name], "package/package.json");
  expect(manifest).not.toMatch(/"(?:workspace|catalog|link|file):/);
  expect(manifest).not.toMatch(/"(?:preinstall|install|postinstall|prepare)":/);
});

it.each([
  ["client", "package/dist/browser"],
  ["webhooks", "package/dist"],
] satisfies [Published, string][])("uses no API in %s that a page may lack", async (name, path) => {
  expect(tooNew.exec(await tar("-xzOf", tarballs[name], path))?.[0]).toBeUndefined();
});

it("packs the license of everything that the command of mock bundles", async () => {
  const manifest = await readFile(join(packageFolder("mock"), "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  const licenses = await tar("-xzOf", tarballs.mock, `package/${thirdParty}`);
  const titles = [...licenses.matchAll(/^(\S+) [\d.]+ \([\w-]+\)$/gm)].map(([, name]) => name);
  expect(titles).toEqual(Object.keys(dependencies).toSorted());
  expect(licenses.match(/^(?:Permission|Licensed)/gm)).toHaveLength(titles.length);
});
