import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  buildPackage,
  packageFolder,
  packedPackages,
  published,
  type Published,
} from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";

const tarballs = await packedPackages();
// The tarballs may be from an earlier run.
for (const name of published)
  if (!existsSync(join(packageFolder(name), "dist"))) await buildPackage(name);
const allowedLicenses = /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|ISC|MIT)$/;
const always = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
const thirdParty = "dist/THIRD-PARTY-LICENSES.txt";
const maxBytes = { client: 280_000, webhooks: 150_000, mock: 400_000, contract: 150_000 };

/** APIs that came after Chrome 120, Firefox 115 or Safari 17, the oldest browsers in docs/support.md. */
const tooNew =
  /\b(?:AbortSignal\.any|Array\.fromAsync|Iterator\.from|(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|RegExp\.escape|Symbol\.(?:asyncDispose|dispose)|URL\.parse|Uint8Array\.from(?:Base64|Hex))\b|\.(?:isSubsetOf|isSupersetOf|isWellFormed|symmetricDifference|toBase64|toHex|toWellFormed)\(/;

/** Runs a command to its end and returns its output. */
async function run(command: string, args: readonly string[], cwd = root): Promise<string> {
  const program = startProgram(command, args, { cwd });
  const { code } = await program.ended;
  expect(code, program.text).toBe(0);
  return program.output.stdout;
}

const tar = (...args: readonly string[]) => run("tar", args);
const bin = (name: string): string => join(root, "node_modules/.bin", name);

describe.concurrent("tools", { timeout: 300_000 }, () => {
  it.each(published)("publint and attw accept %s", async (name) => {
    await run(bin("publint"), ["run", tarballs[name], "--strict"]);
    // Only this test needs attw, so the workspace does not install it.
    const profile = name === "contract" ? "esm-only" : "node16";
    const attw = ["--yes", "@arethetypeswrong/cli@0.18.5", tarballs[name], "--profile", profile];
    expect(await run("npx", attw)).toBeDefined();
  });

  // Compiles all code as well.
  it("types stay under their ceilings", async () => {
    expect(await run(process.execPath, ["scripts/ceilings.ts", "--types"])).toBeDefined();
  });

  // Without the types of Node and of tests, where the package is for browsers and workers.
  it.each(published)("%s compiles by itself", async (name) => {
    expect(await run(bin("tsc"), ["-p", packageFolder(name)])).toBe("");
  });

  it.each(["client", "webhooks"] as const)("size-limit passes in %s", async (name) => {
    expect(await run(bin("size-limit"), [], packageFolder(name))).toBeDefined();
  });

  it("every dependency has an allowed license", async () => {
    const manifest = await readFile(join(root, "package.json"), "utf8");
    const { packageManager } = JSON.parse(manifest) as { packageManager: string };
    const filters = published.map((name) => `--filter=@tryon/${name}`);
    const list = ["licenses", "list", "--prod", "--json", ...filters];
    const found = JSON.parse(await run("npx", ["--yes", packageManager, ...list])) as object;
    expect(Object.keys(found).filter((license) => !allowedLicenses.test(license))).toEqual([]);
  });
});

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
  ["client", "package/dist/index.js"],
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
