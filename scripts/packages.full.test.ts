import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it, onTestFinished } from "vitest";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { buildPackage, packageFolder, packedPackages, published } from "@tryon/test-kit/packages";
import { compiler, root } from "@tryon/test-kit/repository";
import manifest from "../package.json" with { type: "json" };
import mock from "../packages/mock/package.json" with { type: "json" };

const tarballs = await packedPackages();
// The tarballs may be from an earlier run.
for (const name of published)
  if (!existsSync(join(packageFolder(name), "dist"))) await buildPackage(name);
const allowedLicenses = /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|ISC|MIT)$/;
const always = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
const thirdParty = "dist/THIRD-PARTY-LICENSES.txt";
const maxBytes = {
  client: 638_500,
  webhooks: 181_500,
  mock: 453_000,
  contract: 170_000,
  cli: 539_000,
  "ai-sdk": 12_000,
};

/** APIs that came after Chrome 120, Firefox 115 or Safari 17, the oldest browsers in docs/support.md. */
const tooNew =
  /\b(?:AbortSignal\.any|Array\.fromAsync|Iterator\.from|(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|RegExp\.escape|Symbol\.(?:asyncDispose|dispose)|URL\.parse|Uint8Array\.from(?:Base64|Hex))\b|\.(?:isSubsetOf|isSupersetOf|isWellFormed|symmetricDifference|toBase64|toHex|toWellFormed)\(/;

/** Runs a command to its end and returns its output. Rejects with its output if it fails. */
async function run(command: string, args: readonly string[], cwd = root): Promise<string> {
  return (await promisify(execFile)(command, args, { cwd, maxBuffer: 16_000_000 })).stdout;
}

const tar = (...args: readonly string[]) => run("tar", args);
const bin = (name: string): string => join(root, "node_modules/.bin", name);
const tools = { concurrent: true, timeout: 300_000 };

it.each([
  ["size-limit passes in client", "packages/client", bin("size-limit")],
  ["size-limit passes in webhooks", "packages/webhooks", bin("size-limit")],
  // Without the types of Node and of tests. The linter has compiled the packages that are for Node only.
  ...["client", "webhooks", "mock"].map((name) => [
    `${name} compiles by itself`,
    `packages/${name}`,
    process.execPath,
    compiler,
    "-p",
    ".",
  ]),
  ...published.map((name) => [
    `publint accepts ${name}`,
    ".",
    bin("publint"),
    "run",
    tarballs[name],
    "--strict",
  ]),
  // The command has no types. Only this test needs attw, so the workspace does not install it.
  ...(["client", "webhooks", "mock", "contract", "ai-sdk"] as const).map((name) => {
    const profile = ["contract", "ai-sdk"].includes(name) ? "esm-only" : "node16";
    const attw = ["--yes", "@arethetypeswrong/cli@0.18.5", tarballs[name], "--profile", profile];
    return [`attw accepts ${name}`, ".", "npx", ...attw];
  }),
])("%s", tools, async (_title, folder = "", command = "", ...args) => {
  // Not `.resolves`, which also fails other tests that run at the same time.
  expect(await run(command, args, join(root, folder))).toBeDefined();
});

it("costs the compiler at most 30,000 instantiations in a small app", tools, async () => {
  const args = ["-p", "packages/client/test/small-app", "--extendedDiagnostics"];
  const [, count] = /^Instantiations: +(\d+)$/m.exec(await run(bin("tsc"), args)) ?? [];
  expect(Number(count)).toBeLessThan(30_000);
});

it("TypeScript 5.4, the oldest that is supported, reads the declarations", tools, async () => {
  const app = await AppFolder.create("oldest");
  onTestFinished(() => app.remove());
  await app.write("package.json", "{}");
  // npm has once ended with 0 and left out files of the compiler.
  const add = ["add", "--ignore-scripts", "typescript@5.4.5", "@types/node@22.19.0"];
  await app.run("npx", ["--yes", manifest.packageManager, ...add]);
  await app.unpack();
  // The other entry points import types of frameworks, databases and test tools.
  const entries = ["client", "mock", "webhooks"].concat(
    ["batch", "node", "proxy", "raw", "session", "testing"].map((name) => `client/${name}`),
    ["node"].map((name) => `mock/${name}`),
    ["lambda", "node", "reconcile"].map((name) => `webhooks/${name}`),
  );
  const lines = entries.map((name, index) => `export type * as e${index} from "@tryon/${name}";`);
  await app.write("entries.mts", lines.join("\n"));
  await app.write("entries.cts", lines.join("\n"));
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "node16"];
  const files = ["entries.mts", "entries.cts"];
  const oldest = app.path("node_modules/typescript/bin/tsc");
  expect(await app.run(process.execPath, [oldest, ...flags, ...files])).toBe("");
});

it("every dependency has an allowed license", tools, async () => {
  const filters = published.map((name) => `--filter=@tryon/${name}`);
  const list = [manifest.packageManager, "licenses", "list", "--prod", "--json", ...filters];
  const found = JSON.parse(await run("npx", ["--yes", ...list])) as object;
  expect(Object.keys(found).filter((license) => !allowedLicenses.test(license))).toEqual([]);
});

it.each(published)("packs only what users of %s need", async (name) => {
  const listed = (await tar("-tzf", tarballs[name])).trim().split("\n");
  const files = listed.map((file) => file.replace("package/", ""));
  const others = files.filter((file) => !/^dist\/[\w/-]+\.(?:js|cjs|d\.ts|d\.cts)$/.test(file));
  expect(others).toHaveLength(["client", "ai-sdk"].includes(name) ? 4 : 5);
  expect([...always, thirdParty]).toEqual(expect.arrayContaining(others));
  // One entry point is for the tests of apps.
  const ofTests = files.filter((file) => /testing|tests?\//.test(file));
  expect(ofTests.filter((file) => !/^dist\/testing\.\w/.test(file))).toEqual([]);
  expect((await stat(tarballs[name])).size).toBeLessThan(maxBytes[name]);
  const text = await tar("-xzOf", tarballs[name]);
  const leaks = [root, "@tryon/source", "\n//# sourceMappingURL="];
  expect(leaks.filter((leak) => text.includes(leak))).toEqual([]);
  expect(/from ['"]@tryon\/(?:spec|cli-kit|shared)\b.*/.exec(text)?.[0]).toBeUndefined();
  const packed = await tar("-xzOf", tarballs[name], "package/package.json");
  // The manifest of npm has an object with the dependencies.
  const { dependencies = {} } = JSON.parse(packed) as { dependencies?: object };
  const few: Readonly<Record<string, string>> = {
    client: "openapi-fetch",
    webhooks: "",
    "ai-sdk": "",
  };
  const names = Object.keys(dependencies).join();
  expect(few[name] ?? names).toBe(names);
  expect(packed).not.toMatch(/"(?:workspace|catalog|link|file):/);
  expect(packed).not.toMatch(/"(?:preinstall|install|postinstall|prepare)":/);
});

it("has each class of errors once, so that instanceof works for errors of any entry point", async () => {
  const listed = (await tar("-tzf", tarballs.client)).trim().split("\n");
  const entries = listed.filter((file) => /dist\/(?!index)[\w-]+\.c?js$/.test(file));
  expect(entries.length).toBeGreaterThan(10);
  for (const entry of entries)
    expect(await tar("-xzOf", tarballs.client, entry)).not.toMatch(/class extends \w*Error/);
});

it("uses no API in code for a page that the page may lack", async () => {
  const listed = (await tar("-tzf", tarballs.client)).trim().split("\n");
  const files = listed.filter((file) => /dist\/(?:index|\w+-page[\w-]*)\.js$/.test(file));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const client = await tar("-xzOf", tarballs.client, file);
    expect(tooNew.exec(client)?.[0], file).toBeUndefined();
  }
  expect(tooNew.exec(await tar("-xzOf", tarballs.webhooks, "package/dist"))?.[0]).toBeUndefined();
});

it.each([
  ["webhooks", []],
  ["contract", []],
  ["mock", [...Object.keys(mock.dependencies), "preact"]],
] as const)("packs the licenses of the bundled packages in %s", async (name, bundled) => {
  const expected = ["@commander-js/extra-typings", "commander", ...bundled];
  expect(await readLicenses(name)).toEqual(expected.toSorted());
});

it("packs the licenses of the bundled packages in cli, with those that they need", async () => {
  const expected = [
    "@modelcontextprotocol/core",
    "@modelcontextprotocol/server",
    "csv-parse",
    "ora",
    "preact",
    "signal-exit",
    "zod",
  ];
  expect(await readLicenses("cli")).toEqual(expect.arrayContaining(expected));
});

/** Returns the names of the packages whose licenses a package contains. */
async function readLicenses(name: keyof typeof tarballs) {
  const licenses = await tar("-xzOf", tarballs[name], `package/${thirdParty}`);
  const titles = [...licenses.matchAll(/^(\S+) [\d.]+ \([\w.-]+\)$/gm)].map(([, title]) => title);
  expect(licenses.match(/^(?:Permission|Licensed|Redistribution)/gm)).toHaveLength(titles.length);
  return titles;
}
