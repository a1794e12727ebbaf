import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { packedPackages } from "@tryon/test-kit/packages";
import { AppFolder } from "@tryon/test-kit/app-folder";

/** Versions of the runtimes, as on the page. Node 24 is that of the repository. */
export const versions = {
  node20: "20.20.2",
  node22: "22.23.3",
  node24: "24.21.0",
  node26: "26.10.0",
  bun: "1.4.5",
  deno: "2.9.6",
  // The newest that also installs by an npm that runs on Node 20.
  miniflare: "4.20260426.0",
} as const;

export const tools = {
  esbuild: "0.28.2",
  vite: "8.3.8",
  msw: "3.0.5",
  "typescript-5.4": "npm:typescript@5.4.5",
  "typescript-6": "npm:typescript@6.0.3",
  "typescript-7": "npm:typescript@7.0.2",
  "@types/node": "24.19.2",
} as const;

/** Folders that all tests of a run share. Each test writes files with other names. */
export interface Installation {
  /** Parent of the other folders. */
  readonly folder: string;
  /** App of a user: npm has installed the tarballs and the tools there. */
  readonly app: string;
  /** Runtimes, which are not in the app. */
  readonly runtimes: string;
}

/** Builds and packs the packages, and installs them in an app as users do. Installs every runtime. */
export async function install(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-runtimes-"));
  const { node20, node22, node26, bun, deno, miniflare } = versions;
  const [app, runtimes] = [join(folder, "app"), join(folder, "runtimes")];
  // Their scripts download the programs for this machine.
  const scripts = true;
  const ofRuntimes = [
    `node-20@npm:node@${node20}`,
    `node-22@npm:node@${node22}`,
    `node-26@npm:node@${node26}`,
    `bun@${bun}`,
    `deno@${deno}`,
    `miniflare@${miniflare}`,
  ];
  const beside = Object.entries(tools).map(([name, version]) => `${name}@${version}`);
  await Promise.all([
    new AppFolder(runtimes).install(ofRuntimes, { scripts }),
    packedPackages().then((tarballs) =>
      new AppFolder(app).install([...Object.values<string>(tarballs), ...beside], { scripts }),
    ),
  ]);
  return { folder, app, runtimes };
}

export function remove({ folder }: Installation): Promise<void> {
  return rm(folder, { recursive: true });
}

export interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

export async function manifestOf(folder: string, name: string): Promise<Manifest> {
  const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
  // npm has parsed the file.
  return JSON.parse(text) as Manifest;
}
