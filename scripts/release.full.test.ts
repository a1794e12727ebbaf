import { execFile } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

import { installApp } from "@tryon/test-kit/install-app";
import { published } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";

const folder = await mkdtemp(join(tmpdir(), "tryon-release-"));
const [repository, app] = [join(folder, "repository"), join(folder, "app")];
const all = published.map((name) => `@tryon/${name}`);
const timeout = 600_000;
let registry: Server;

const environment = {
  ...process.env,
  // No workflow, wherever the test runs itself.
  CI: "",
  GITHUB_ACTIONS: "",
  GITHUB_SERVER_URL: "https://github.example",
  GITHUB_REPOSITORY: "shop/tryon-sdk",
  GITHUB_SHA: "c0ffee",
};

/** Runs a command to its end and returns its output. Rejects with its output if it fails. */
async function run(command: string, args: readonly string[], more: object = {}, cwd = repository) {
  const options = { cwd, env: { ...environment, ...more }, maxBuffer: 16_000_000 };
  return (await promisify(execFile)(command, args, options)).stdout;
}

async function changeset(args: readonly string[], more?: object): Promise<string> {
  const { packageManager } = await readJson("package.json");
  return run("npx", ["--yes", packageManager, "exec", "changeset", ...args], more);
}

type Manifest = Record<"packageManager" | "version", string> & { readonly dependencies: object };

async function readJson(path: string, from = repository): Promise<Manifest> {
  return JSON.parse(await readFile(join(from, path), "utf8")) as Manifest;
}

/** Starts verdaccio for the scope `@tryon` alone, installed apart from the workspace, and returns its `.npmrc`. */
async function startRegistry(): Promise<string> {
  const home = join(folder, "registry");
  // A dependency asks for node-fetch by a tag, and not every mirror of the npm registry has tags.
  const manifest = { overrides: { "node-fetch": "2.7.0" } };
  await installApp(home, ["verdaccio@6.10.4"], { manifest });
  const verdaccio = createRequire(join(home, "package.json"))("verdaccio") as {
    runServer(config: object): Promise<Server>;
  };
  registry = await verdaccio.runServer({
    self_path: join(home, "config.yaml"),
    storage: join(home, "storage"),
    uplinks: {},
    auth: {},
    packages: { "@tryon/*": { access: "$all", publish: "$all" } },
    log: { type: "stdout", level: "fatal" },
  });
  await once(registry.listen(0, "127.0.0.1"), "listening");
  // The server listens on TCP, so its address has a port.
  const { port } = registry.address() as AddressInfo;
  return `@tryon:registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\n`;
}

/** Plans, packs and publishes as `.github/workflows/release.yml` does, and returns the names of the plan. */
async function release(more?: object): Promise<readonly string[]> {
  const [plan, packages] = [join(folder, "plan.json"), join(folder, "packages")];
  await changeset(["publish-plan", "--output", plan]);
  const made = JSON.parse(await readFile(plan, "utf8")) as { plan: { name: string }[][] };
  const names = made.plan.flat().map(({ name }) => name);
  if (names.length === 0) return names;
  await rm(packages, { recursive: true, force: true });
  await changeset(["pack", "--from-publish-plan", plan, "--out-dir", packages]);
  await changeset(["publish", "--from-pack-dir", packages], more);
  return names;
}

beforeAll(async () => {
  const [npmrc] = await Promise.all([
    startRegistry(),
    run("git", ["clone", "--quiet", root, repository], {}, root),
  ]);
  const own =
    "[user]\nname = a\nemail = a@shop.example\n[commit]\ngpgSign = 0\n[tag]\ngpgSign = 0\n";
  await appendFile(join(repository, ".git/config"), own);
  await run("git", ["switch", "--quiet", "--force-create", "main"]);
  await run("git", ["rm", "--quiet", "--ignore-unmatch", ".changeset/*.md"]);
  await writeFile(join(repository, ".npmrc"), npmrc);
  const note = '---\n"@tryon/client": minor\n"@tryon/mock": patch\n---\n\nTry hats on.\n';
  await writeFile(join(repository, ".changeset/hats.md"), note);
  await run("git", ["add", "--all"]);
  await run("git", ["commit", "--quiet", "--message", "Try hats on"]);
  await run("npm", ["run", "versions"]);
  await run("git", ["commit", "--quiet", "--all", "--message", "Release"]);
  await run("npm", ["run", "build"]);
  // The step of the workflow that writes the URL of the repository into the packages.
  const workflow = await readFile(join(root, ".github/workflows/release.yml"), "utf8");
  const { jobs } = parse(workflow) as {
    jobs: { pack: { steps: { name?: string; run: string }[] } };
  };
  const step = jobs.pack.steps.find(({ name }) => name === "Set the repository");
  await run("bash", ["-euc", step?.run ?? "false"]);
  await mkdir(app);
  await writeFile(join(app, ".npmrc"), npmrc);
}, timeout);

afterAll(async () => {
  registry.closeAllConnections();
  await once(registry.close(), "close");
  await rm(folder, { recursive: true });
}, timeout);

it("gives each changed package a version and a changelog entry", async () => {
  const changed = await run("git", [
    "diff",
    "--name-only",
    "HEAD~",
    "HEAD",
    "packages/*/package.json",
  ]);
  expect(changed).toBe("packages/client/package.json\npackages/mock/package.json\n");
  const changelog = await readFile(join(repository, "packages/client/CHANGELOG.md"), "utf8");
  expect(changelog).toMatch(/## [\d.]+\n\n### Minor Changes\n\n- [0-9a-f]{7}: Try hats on\.\n/);
  const { version } = await readJson("packages/client/package.json");
  const { dependencies } = await readJson("examples/quickstart/package.json");
  expect(dependencies).toMatchObject({ "@tryon/client": `^${version}` });
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

it(
  "publishes with provenance or not at all, each version once, and what installs and runs",
  { timeout },
  async () => {
    await expect(release({ PNPM_CONFIG_PROVENANCE: "true" })).rejects.toMatchObject({
      stdout: expect.stringMatching(/provenance/i),
    });
    expect((await release()).toSorted()).toEqual(all.toSorted());
    expect(await release()).toEqual([]);
    const tags = (await run("git", ["tag", "--points-at", "HEAD"])).replaceAll(/@\d.*/g, "");
    expect(tags.trim().split("\n").toSorted()).toEqual(all.toSorted());

    await installApp(app, all);
    const mock = join(app, "node_modules/@tryon/mock");
    const url = "git+https://github.example/shop/tryon-sdk.git";
    expect(await readJson("package.json", mock)).toMatchObject({
      repository: { type: "git", url, directory: "packages/mock" },
    });
    const readme = await readFile(join(mock, "README.md"), "utf8");
    expect(readme).toContain("(https://github.example/shop/tryon-sdk/blob/c0ffee/docs/");
    expect(readme).not.toMatch(/\]\((?!https:|#)/);

    await writeFile(join(app, "app.mjs"), program);
    const node = process.execPath;
    const command = [join(mock, "dist/cli.js"), "exec", "--latency", "0", "--", node, "app.mjs"];
    expect(await run(node, command, {}, app)).toMatch(/^paid \d+$/m);
    expect((await readFile(join(app, "out.png"))).subarray(1, 4).toString()).toBe("PNG");
    await run(node, [join(app, "node_modules/.bin/tryon-contract"), "--version"], {}, app);
  },
);
