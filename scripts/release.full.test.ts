import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

import { installApp } from "@tryon/test-kit/install-app";
import { published } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";
import { startRegistry } from "./testing/local-registry.ts";

const folder = await mkdtemp(join(tmpdir(), "tryon-release-"));
const [repository, app] = [join(folder, "repository"), join(folder, "app")];
const node = join(root, "node_modules/node/bin/node");
const timeout = 600_000;
const all = published.map((name) => `@tryon/${name}`);
let registry: Awaited<ReturnType<typeof startRegistry>>;
let seen: Awaited<ReturnType<typeof rehearse>>;

const environment = {
  ...process.env,
  // No workflow, wherever the test runs itself.
  CI: "",
  GITHUB_ACTIONS: "",
  GITHUB_SERVER_URL: "https://github.example",
  GITHUB_REPOSITORY: "shop/tryon-sdk",
  GITHUB_SHA: "c0ffee",
};
const gitConfig =
  "[user]\nname = a\nemail = a@shop.example\n[commit]\ngpgSign = 0\n[tag]\ngpgSign = 0\n";

/** Runs a command to its end. Rejects with its output if it fails. */
function run(command: string, args: readonly string[], cwd = repository, more: object = {}) {
  const env = { ...environment, ...more };
  return promisify(execFile)(command, args, { cwd, env, maxBuffer: 16_000_000 });
}

async function changeset(args: readonly string[], more?: object): Promise<unknown> {
  const { packageManager } = await readJson("package.json");
  const command = ["--yes", packageManager, "exec", "changeset", ...args];
  return run("npx", command, repository, more).catch((error: unknown) => error);
}

type Manifest = Record<"packageManager" | "version", string> & { readonly dependencies: object };

async function readJson(path: string, from = repository): Promise<Manifest> {
  return JSON.parse(await readFile(join(from, path), "utf8")) as Manifest;
}

/** Clones the last commit of the repository, without its notes of changes. */
async function cloneRepository(): Promise<void> {
  await run("git", ["clone", "--quiet", root, repository], root);
  await appendFile(join(repository, ".git/config"), gitConfig);
  await run("git", ["switch", "--quiet", "--force-create", "main"]);
  await run("git", ["rm", "--quiet", "--ignore-unmatch", ".changeset/*.md"]);
}

async function commit(message: string): Promise<void> {
  await run("git", ["add", "--all"]);
  await run("git", ["commit", "--quiet", "--message", message]);
}

/** Runs the step of the workflow that writes the URL of the repository into the packages. */
async function setRepository(): Promise<void> {
  const text = await readFile(join(root, ".github/workflows/release.yml"), "utf8");
  const { jobs } = parse(text) as { jobs: { pack: { steps: { name?: string; run: string }[] } } };
  const step = jobs.pack.steps.find(({ name }) => name === "Set the repository");
  await run("bash", ["-euc", step?.run ?? "false"]);
}

/** Plans, packs and publishes as `.github/workflows/release.yml` does. */
async function release(name: string) {
  const [plan, packages] = [join(folder, `${name}.json`), join(folder, name)];
  await changeset(["publish-plan", "--output", plan]);
  const made = JSON.parse(await readFile(plan, "utf8")) as { plan: { name: string }[][] };
  const planned = made.plan.flat().map((one) => one.name);
  if (planned.length === 0) return { planned };
  await changeset(["pack", "--from-publish-plan", plan, "--out-dir", packages]);
  return { planned, ended: await changeset(["publish", "--from-pack-dir", packages]) };
}

async function rehearse() {
  [registry] = await Promise.all([startRegistry(join(folder, "registry")), cloneRepository()]);
  await writeFile(join(repository, ".npmrc"), registry.npmrc);
  const note = '---\n"@tryon/client": minor\n"@tryon/mock": patch\n---\n\nTry hats on.\n';
  await writeFile(join(repository, ".changeset/hats.md"), note);
  await commit("Try hats on");
  await run("npm", ["run", "versions"]);
  await commit("Release");
  await run("npm", ["run", "build"]);
  await setRepository();
  await registry.restart("mock");
  const interrupted = await release("interrupted");
  await registry.restart();
  const outside = await changeset(["publish"], { PNPM_CONFIG_PROVENANCE: "true" });
  const resumed = await release("resumed");
  const repeated = await release("repeated");
  await mkdir(app);
  await writeFile(join(app, ".npmrc"), registry.npmrc);
  await installApp(app, all);
  return { interrupted, outside, resumed, repeated };
}

beforeAll(async () => {
  seen = await rehearse();
}, timeout);

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
}, timeout);

it("gives each changed package a version and a changelog entry", async () => {
  const manifests = ["--name-only", "HEAD~", "HEAD", "packages/*/package.json"];
  const changed = ["packages/client/package.json", "packages/mock/package.json"];
  expect((await run("git", ["diff", ...manifests])).stdout).toBe(`${changed.join("\n")}\n`);
  const changelog = await readFile(join(repository, "packages/client/CHANGELOG.md"), "utf8");
  expect(changelog).toMatch(/## [\d.]+\n\n### Minor Changes\n\n- [0-9a-f]{7}: Try hats on\.\n/);
  const { version } = await readJson("packages/client/package.json");
  const { dependencies } = await readJson("examples/quickstart/package.json");
  expect(dependencies).toMatchObject({ "@tryon/client": `^${version}` });
});

it("publishes the rest after a failure, and nothing twice", async () => {
  const { interrupted, resumed, repeated } = seen;
  expect(interrupted.planned.toSorted()).toEqual(all.toSorted());
  expect(interrupted.ended).toMatchObject({ code: 1 });
  expect(resumed.planned).toEqual(["@tryon/mock"]);
  expect(resumed.ended).not.toBeInstanceOf(Error);
  expect(repeated.planned).toEqual([]);
  const { stdout } = await run("git", ["tag", "--points-at", "HEAD"]);
  expect(
    stdout
      .replaceAll(/@\d.*\n/g, " ")
      .trim()
      .split(" "),
  ).toEqual(all.toSorted());
});

it("publishes with provenance or not at all", () => {
  expect(seen.outside).toMatchObject({ code: 1, stdout: expect.stringMatching(/provenance/i) });
});

it("names the repository, and links READMEs to the released commit", async () => {
  const installed = join(app, "node_modules/@tryon/mock");
  const url = "git+https://github.example/shop/tryon-sdk.git";
  const repositoryField = { type: "git", url, directory: "packages/mock" };
  expect(await readJson("package.json", installed)).toMatchObject({ repository: repositoryField });
  const readme = await readFile(join(installed, "README.md"), "utf8");
  expect(readme).toContain("(https://github.example/shop/tryon-sdk/blob/c0ffee/docs/");
  expect(readme).not.toMatch(/\]\((?!https:|#)/);
});

const program = `
  import { writeFile } from "node:fs/promises";
  import { TryOn } from "@tryon/client";
  const person = new Blob([Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4])]);
  const garments = [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2])];
  const result = await new TryOn().run({ person, garments });
  await writeFile("out.png", await result.image.bytes());
  console.log("paid", result.receipt.credits);
`;

it("installs by name into an empty app that makes a try-on", { timeout }, async () => {
  await writeFile(join(app, "app.mjs"), program);
  const bin = (name: string): string => join(app, "node_modules/.bin", name);
  const mock = [bin("tryon-mock"), "exec", "--latency", "0", "--", node, "app.mjs"];
  expect((await run(node, mock, app)).stdout).toMatch(/^paid \d+$/m);
  expect((await readFile(join(app, "out.png"))).subarray(1, 4).toString()).toBe("PNG");
  await run(node, [bin("tryon-contract"), "--version"], app);
});
