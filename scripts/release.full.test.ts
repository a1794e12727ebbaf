import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { published, type Published } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";
import type { Manifest } from "./release/manifest.ts";
import type { Release } from "./release/release.ts";
import { installApp as installFor } from "@tryon/test-kit/install-app";
import { startRegistry, type LocalRegistry } from "./testing/local-registry.ts";
import { commitAll, copyRepository } from "./testing/repository-copy.ts";

const node = join(root, "node_modules/node/bin/node");
const releasing = 1_200_000;

interface Ended {
  readonly code: number;
  readonly output: string;
}

let folder: string;
let repository: string;
/** An app of a stranger, into which npm has installed the packages by name and version. */
let app: string;
/** The versions that the noted changes shall lead to. */
let expected: Versions;
let registry: LocalRegistry;

function runs(
  command: string,
  args: readonly string[],
  cwd = repository,
  more: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  // What a workflow tells its steps is told here as this test wants it, wherever it runs itself.
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(?:GITHUB_|ACTIONS_|CI$|RUNNER_)/.test(name),
  );
  const env = {
    ...Object.fromEntries(environment),
    ...registry.environment,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "shop/tryon-sdk",
    GITHUB_SHA: "c0ffee",
    ...more,
  };
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 16_000_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

/** A step that needs no workspace, as the workflow runs it. */
function step(...args: readonly string[]): Promise<Ended> {
  return runs(node, ["scripts/release.ts", ...args]);
}

/** What a run of a step has sent to the registry, beside how it ended. */
async function publishing(...args: readonly string[]): Promise<Ended & { sent: string[] }> {
  registry.sent.length = 0;
  const publish = ["scripts/release.ts", "publish", "out/release", ...args];
  // What the registry refuses is not to be sent again by npm itself.
  const ended = await runs(node, publish, repository, { npm_config_fetch_retries: "0" });
  return { ...ended, sent: [...registry.sent] };
}

const notes = {
  "hats.md": '---\n"@tryon/client": minor\n---\n\nTry hats on.\n',
  "quiet.md": '---\n"@tryon/mock": patch\n---\n\nSay less.\n',
};

type Versions = Readonly<Record<Published, string>>;

async function readVersions(): Promise<Versions> {
  const read = published.map(
    async (name) =>
      [name, (await json<Manifest>(`packages/${name}/package.json`)).version] as const,
  );
  // Each name is one of those that are published.
  return Object.fromEntries(await Promise.all(read)) as Versions;
}

function next(version: string, part: "minor" | "patch"): string {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return part === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** A release from end to end, in the order in which a workflow and its maintainer make it. */
async function release() {
  // What is noted in the repository itself belongs to a release of its own.
  for (const file of await readdir(join(repository, ".changeset")))
    if (file.endsWith(".md")) await rm(join(repository, ".changeset", file));
  for (const [file, text] of Object.entries(notes))
    await writeFile(join(repository, ".changeset", file), text);
  await commitAll(repository, "Try hats on");
  const planned = await step("plan");
  const early = await step("pack", "out/early");
  const versions = await runs("npm", ["run", "versions"]);
  const uncommitted = await step("pack", "out/early");
  await commitAll(repository, "Release");
  const plannedThen = await step("plan");
  // This installs what the lock file names, and only that.
  const packed = await runs("npm", ["run", "release", "--", "pack", "out/release"]);
  const withProvenance = await publishing();
  registry.broken.add("@tryon/mock");
  const broken = await publishing("--no-provenance");
  registry.broken.clear();
  const mended = await publishing("--no-provenance");
  const again = await publishing("--no-provenance");
  const plannedAtLast = await step("plan");
  const packedAgain = await step("pack", "out/again");
  return {
    plans: [planned, plannedThen, plannedAtLast],
    early,
    versions,
    uncommitted,
    packed,
    withProvenance,
    broken,
    mended,
    again,
    packedAgain,
  };
}

let seen: Awaited<ReturnType<typeof release>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-release-"));
  repository = join(folder, "repository");
  await copyRepository(repository);
  const before = await readVersions();
  expected = {
    ...before,
    client: next(before.client, "minor"),
    mock: next(before.mock, "patch"),
  };
  registry = await startRegistry(join(folder, "registry"), node);
  seen = await release();
  app = join(folder, "app");
  const packages = published.map((name) => `@tryon/${name}@^${expected[name]}`);
  await installFor(app, packages, { environment: registry.environment });
}, releasing);

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
}, releasing);

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(repository, path), "utf8")) as T;
}

it("plans the versions first, then what is not published, then nothing", () => {
  const steps = seen.plans.map(({ output }) => /^Next: (.*)$/m.exec(output)?.[1]);
  expect(steps).toEqual(["versions", "publish", "nothing"]);
});

it("packs nothing while a change has no version or is not committed", () => {
  expect(seen.early.code).toBe(1);
  expect(seen.early.output).toContain("hats.md");
  expect(seen.uncommitted.code).toBe(1);
  expect(seen.uncommitted.output).toContain("not committed");
});

it("gives what has changed its version and an entry in its changelog, and leaves the rest alone", async () => {
  expect(seen.versions).toMatchObject({ code: 0 });
  expect(await readVersions()).toEqual(expected);
  const changelog = await readFile(join(repository, "packages/client/CHANGELOG.md"), "utf8");
  const [, entry] = changelog.split(/^## /m);
  expect(entry).toMatch(/^\d[\d.]+\n\n### Minor Changes\n\n- [0-9a-f]{7}: Try hats on\.\n/);
  expect(entry).toContain(`${expected.client}\n`);
  const quickstart = await json<Manifest>("examples/quickstart/package.json");
  expect(quickstart.dependencies).toMatchObject({
    "@tryon/client": `^${expected.client}`,
    "@tryon/mock": `^${expected.mock}`,
  });
});

it("packs each package with notes of its version, from a lock file that fits", async () => {
  expect(seen.packed).toMatchObject({ code: 0 });
  const { packages, commit } = await json<Release>("out/release/release.json");
  expect(commit).toMatch(/^[0-9a-f]{40}$/);
  expect(packages.map(({ tarball }) => tarball)).toEqual(
    published.map((name) => `tryon-${name}-${expected[name]}.tgz`),
  );
  expect(packages[0]?.notes).toContain("Try hats on.");
  const files = await readdir(join(repository, "out/release"));
  expect(files).toHaveLength(5);
});

it("asks npm for provenance, which only a workflow can give", () => {
  expect(seen.withProvenance).toMatchObject({ code: 1, sent: [] });
  expect(seen.withProvenance.output).toMatch(/provenance|without a token/);
});

it("stops where the registry fails, says how far it came, and goes on from there", () => {
  const all = published.map((name) => `@tryon/${name}`);
  const title = (name: Published) => `@tryon/${name} ${expected[name]}`;
  expect(seen.broken).toMatchObject({ code: 1, sent: all.slice(0, 3) });
  expect(seen.broken.output).toContain(`@tryon/mock ${expected.mock} is NOT published`);
  expect(seen.broken.output).toContain(
    `Published: ${title("client")}, ${title("webhooks")}. Not published: ${title("mock")}, ${title("contract")}.`,
  );
  expect(seen.mended).toMatchObject({ code: 0, sent: all.slice(2) });
});

it("publishes nothing twice", async () => {
  expect(seen.again).toMatchObject({ code: 0, sent: [] });
  expect(seen.packedAgain).toMatchObject({ code: 0 });
  expect(await json<Release>("out/again/release.json")).toMatchObject({ packages: [] });
});

it("tells which repository a package comes from, and its readers which commit", async () => {
  const installed = join(app, "node_modules/@tryon/mock");
  expect(JSON.parse(await readFile(join(installed, "package.json"), "utf8"))).toMatchObject({
    version: expected.mock,
    repository: {
      type: "git",
      url: "git+https://github.example/shop/tryon-sdk.git",
      directory: "packages/mock",
    },
  });
  const readme = await readFile(join(installed, "README.md"), "utf8");
  expect(readme).toContain("(https://github.example/shop/tryon-sdk/blob/c0ffee/docs/");
  expect(readme).not.toContain("](../");
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

it("gives a stranger what a try-on needs", async () => {
  await writeFile(join(app, "app.mjs"), program);
  const bin = join(app, "node_modules/.bin/tryon-mock");
  const made = await runs(node, [bin, "exec", "--latency", "0", "--", node, "app.mjs"], app);
  expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/^paid \d+$/m) });
  const picture = await readFile(join(app, "out.png"));
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
  const contract = join(app, "node_modules/.bin/tryon-contract");
  expect(await runs(node, [contract, "--version"], app)).toMatchObject({ code: 0 });
}, 60_000);
