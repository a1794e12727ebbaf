import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import { published, root } from "./packages.ts";
import { installFor } from "./testing/install-for.ts";
import { startRegistry, type LocalRegistry } from "./testing/local-registry.ts";

const folder = await mkdtemp(join(tmpdir(), "tryon-release-"));
const [repository, app] = [join(folder, "repository"), join(folder, "app")];
const node = join(root, "node_modules/node/bin/node");
const timeout = 600_000;
let registry: LocalRegistry;
let seen: Awaited<ReturnType<typeof rehearse>>;

// The test acts as the workflow of another repository, wherever it runs itself.
const ofWorkflow = /^(?:GITHUB_|ACTIONS_|CI$|RUNNER_)/;
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofWorkflow.test(name))),
  GITHUB_SERVER_URL: "https://github.example",
  GITHUB_REPOSITORY: "shop/tryon-sdk",
  GITHUB_SHA: "c0ffee",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "releaser",
  GIT_AUTHOR_EMAIL: "releaser@shop.example",
  GIT_COMMITTER_NAME: "releaser",
  GIT_COMMITTER_EMAIL: "releaser@shop.example",
};

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

interface Manifest {
  readonly version: string;
  readonly packageManager: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

async function readJson(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, path), "utf8")) as Manifest;
}

async function readVersions(): Promise<readonly string[]> {
  const manifests = published.map((name) => readJson(`packages/${name}/package.json`));
  return (await Promise.all(manifests)).map(({ version }) => version);
}

/** Copies the files of the repository, committed or not, except notes of changes. */
async function copyRepository(): Promise<void> {
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await run("git", listed, root);
  for (const file of stdout.split("\0")) {
    // A file that is deleted and not committed is listed, too.
    if (/^$|^\.changeset\/.*\.md$/.test(file) || !existsSync(join(root, file))) continue;
    await cp(join(root, file), join(repository, file));
  }
}

async function commit(message: string): Promise<void> {
  await run("git", ["add", "--all"]);
  await run("git", ["commit", "--quiet", "--message", message]);
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
  await mkdir(repository);
  [registry] = await Promise.all([startRegistry(join(folder, "registry")), copyRepository()]);
  await writeFile(join(repository, ".npmrc"), registry.npmrc);
  const note = '---\n"@tryon/client": minor\n"@tryon/mock": patch\n---\n\nTry hats on.\n';
  await writeFile(join(repository, ".changeset/hats.md"), note);
  await run("git", ["init", "--quiet", "--initial-branch", "main"]);
  await commit("Try hats on");
  const before = await readVersions();
  await run("npm", ["run", "versions"]);
  await commit("Release");
  await run("npm", ["run", "build"]);
  await run(node, ["scripts/set-repository.ts"]);
  await registry.restart("mock");
  const interrupted = await release("interrupted");
  await registry.restart();
  const outside = await changeset(["publish"], { PNPM_CONFIG_PROVENANCE: "true" });
  const resumed = await release("resumed");
  const repeated = await release("repeated");
  await mkdir(app);
  await writeFile(join(app, ".npmrc"), registry.npmrc);
  const versions = await readVersions();
  await installFor(
    app,
    published.map((name, index) => `@tryon/${name}@${versions[index]}`),
  );
  return { before, versions, interrupted, outside, resumed, repeated };
}

beforeAll(async () => {
  seen = await rehearse();
}, timeout);

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
}, timeout);

it("gives each changed package a version and a changelog entry", async () => {
  const [client = "", webhooks, mock = "", contract] = seen.before;
  const minor = client.replace(/(\d+)\.\d+$/, (_, part) => `${Number(part) + 1}.0`);
  const patch = mock.replace(/\d+$/, (part) => String(Number(part) + 1));
  expect(seen.versions).toEqual([minor, webhooks, patch, contract]);
  const changelog = await readFile(join(repository, "packages/client/CHANGELOG.md"), "utf8");
  expect(changelog).toMatch(/## [\d.]+\n\n### Minor Changes\n\n- [0-9a-f]{7}: Try hats on\.\n/);
  const { dependencies } = await readJson("examples/quickstart/package.json");
  expect(dependencies).toMatchObject({ "@tryon/client": `^${minor}` });
});

it("publishes the rest after a failure, and nothing twice", async () => {
  const { interrupted, resumed, repeated } = seen;
  const all = published.map((name) => `@tryon/${name}`);
  expect(interrupted.planned.toSorted()).toEqual(all.toSorted());
  expect(interrupted.ended).toMatchObject({ code: 1 });
  expect(resumed.planned).toEqual(["@tryon/mock"]);
  expect(resumed.ended).not.toBeInstanceOf(Error);
  expect(repeated.planned).toEqual([]);
  const { stdout } = await run("git", ["tag"]);
  const tags = all.map((name, index) => `${name}@${seen.versions[index]}`);
  expect(stdout.trim().split("\n").toSorted()).toEqual(tags.toSorted());
});

it("publishes with provenance or not at all", () => {
  expect(seen.outside).toMatchObject({ code: 1, stdout: expect.stringMatching(/provenance/i) });
});

it("names the repository, and links READMEs to the released commit", async () => {
  const installed = join(app, "node_modules/@tryon/mock");
  const url = "git+https://github.example/shop/tryon-sdk.git";
  expect(JSON.parse(await readFile(join(installed, "package.json"), "utf8"))).toMatchObject({
    repository: { type: "git", url, directory: "packages/mock" },
  });
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
