import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

import { freePort } from "@tryon/test-kit/free-port";
import { AppFolder } from "@tryon/test-kit/app-folder";
import { packedPackages, published } from "@tryon/test-kit/packages";
import { node, root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";
import manifest from "../package.json" with { type: "json" };

type Workflow = { jobs: { pack: { steps: Record<"name" | "run", string>[] } } };

const isNightly = process.env["TRYON_TESTS"] === "nightly";
const folder = await mkdtemp(join(tmpdir(), "tryon-release-"));
const repository = join(folder, "repository");
const app = join(folder, "app");
const all = published.map((name) => `@tryon/${name}`).toSorted();

/** Runs a command to its end and returns its output. Rejects with its output if it fails. */
async function run(command: string, args: readonly string[], more: object = {}, cwd = repository) {
  // No workflow, wherever the test runs itself.
  const env = { ...process.env, CI: "", GITHUB_ACTIONS: "", ...more };
  return (await promisify(execFile)(command, args, { cwd, env, maxBuffer: 16_000_000 })).stdout;
}

const git = (...args: readonly string[]) => run("git", args);
const changeset = (args: readonly string[], more?: object) =>
  run("npx", ["--yes", manifest.packageManager, "exec", "changeset", ...args], more);

/** Starts verdaccio for the scope `@tryon` alone, installed apart from the workspace, and returns its host. */
async function startRegistry(): Promise<string> {
  const home = join(folder, "registry");
  // A dependency asks for node-fetch by a tag, and not every mirror of the npm registry has tags.
  const overrides = { "node-fetch": "2.7.0" };
  await new AppFolder(home).install(["verdaccio@6.10.4"], { manifest: { overrides } });
  const packages = { "@tryon/*": { access: "$all", publish: "$all" } };
  await writeFile(join(home, "config.yaml"), JSON.stringify({ storage: "storage", packages }));
  const host = `127.0.0.1:${await freePort()}`;
  const args = ["node_modules/.bin/verdaccio", "--config", "config.yaml", "--listen", host];
  const registry = startProgram(node, args, { cwd: home });
  onTestFinished(async () => void (await registry.stop()));
  await registry.waitFor(/http address/);
  return host;
}

/** Adds the files that other tests have built, of the same sources, except for the versions. */
async function unpackBuilds(): Promise<void> {
  for (const [name, tarball] of Object.entries<string>(await packedPackages())) {
    const into = ["--strip-components=1", "-C", join(repository, "packages", name)];
    await run("tar", ["-xzf", tarball, ...into, "package/dist"]);
  }
}

/** Versions and builds the packages in a clone, as the first steps of `.github/workflows/release.yml` do. */
async function prepareRelease(registry: string): Promise<void> {
  const config = ["user.name=a", "user.email=a@shop.example", "commit.gpgSign=0", "tag.gpgSign=0"];
  const options = config.map((setting) => `--config=${setting}`);
  await run("git", ["clone", "--quiet", ...options, root, repository], {}, root);
  const npmrc = `@tryon:registry=http://${registry}/\n//${registry}/:_authToken=none\n`;
  await writeFile(join(repository, ".npmrc"), npmrc);
  const note = '---\n"@tryon/client": minor\n---\n\nTry hats on.\n';
  await writeFile(join(repository, ".changeset/hats.md"), note);
  await run("npm", ["run", "versions"]);
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "Release");
  if (isNightly) await run("npm", ["run", "build"]);
  else await unpackBuilds();
  // The step of the workflow that writes the URL of the repository into the packages.
  const workflow = await readFile(join(root, ".github/workflows/release.yml"), "utf8");
  const { jobs } = parse(workflow) as Workflow;
  const step = jobs.pack.steps.find(({ name }) => name === "Set the repository");
  const github = { GITHUB_REPOSITORY: "shop/tryon-sdk", GITHUB_SHA: "c0ffee" };
  const variables = { GITHUB_SERVER_URL: "https://github.example", ...github };
  await run("bash", ["-euc", step?.run ?? "false"], variables);
}

/** Plans, packs and publishes as the workflow does, and returns the names of the plan. */
async function release(more?: object): Promise<readonly string[]> {
  const [plan, packages] = [join(folder, "plan.json"), join(folder, "packages")];
  await changeset(["publish-plan", "--output", plan]);
  const made = JSON.parse(await readFile(plan, "utf8")) as { plan: { name: string }[][] };
  const names = made.plan.flat().map(({ name }) => name);
  if (names.length === 0) return names;
  await rm(packages, { recursive: true, force: true });
  await changeset(["pack", "--from-publish-plan", plan, "--out-dir", packages]);
  await changeset(["publish", "--from-pack-dir", packages], more);
  return names.toSorted();
}

const program = `
  import { TryOn } from "@tryon/client";
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(8)]);
  const { image, receipt } = await new TryOn().run({ person: new Blob([png]), garments: [png] });
  console.log(receipt.credits, Buffer.from(await image.bytes()).toString("latin1", 1, 4));
`;

it("publishes with provenance or not at all, each version once, and what installs and runs", async () => {
  onTestFinished(() => rm(folder, { recursive: true }));
  const registry = await startRegistry();
  await prepareRelease(registry);
  await expect(release({ PNPM_CONFIG_PROVENANCE: "true" })).rejects.toMatchObject({
    stdout: expect.stringMatching(/provenance/i),
  });
  expect(await release()).toEqual(all);
  expect(await release()).toEqual([]);
  const tags = (await git("tag", "--points-at", "HEAD")).replaceAll(/@\d.*/g, "");
  expect(tags.trim().split("\n").toSorted()).toEqual(all);

  const environment = { "npm_config_@tryon:registry": `http://${registry}/` };
  await new AppFolder(app).install(all, { environment });
  const mock = join(app, "node_modules/@tryon/mock");
  const packed = await readFile(join(mock, "package.json"), "utf8");
  expect(packed).toMatch(/example\/shop\/tryon-sdk\.git",\s+"directory": "packages\/mock"/);
  const readme = await readFile(join(mock, "README.md"), "utf8");
  expect(readme).toContain("(https://github.example/shop/tryon-sdk/blob/c0ffee/docs/");
  expect(readme).toContain("](https://github.example/shop/tryon-sdk/raw/c0ffee/docs/images/");
  expect(readme).not.toMatch(/\]\((?!https:|#)/);

  const command = [join(mock, "dist/cli.js"), "exec", "--latency", "0", "--", node];
  const typed = ["--input-type=module", "--eval", program];
  expect(await run(node, [...command, ...typed], {}, app)).toMatch(/^\d+ PNG$/m);
  await run(node, [join(app, "node_modules/.bin/tryon-contract"), "--version"], {}, app);
}, 900_000);
