import { join } from "node:path";

import type { Browser, Engine } from "@tryon/test-kit/browsers";

import { writeProgram } from "./bundles.ts";
import { compile, compilers, type Compiled, type Resolution } from "./compiled.ts";
import { scenarios, type Scenario, type Kind } from "./scenarios.ts";
import { node } from "@tryon/test-kit/repository";
import { tools, versions, type Installation } from "./installation.ts";
import { buildPage, runInPage, type Bundler } from "./pages.ts";
import { messagesOf } from "./processes.ts";
import type { Tenant } from "./reference-server.ts";
import { runInWorker } from "./worker.ts";

/** Context of a program that is the same on every runtime. */
interface Given extends Tenant {
  readonly baseUrl: string;
  readonly file: string;
}

/** One row of the page: a runtime, and a function that runs a program on it. */
export interface Row {
  readonly title: string;
  readonly kind: Kind;
  /** Version of Node, to compare with the `engines` of a package. Undefined for other runtimes. */
  readonly node?: string;
  /** Engine of a page. */
  readonly engine?: Engine;
  /** Returns the result of the program, or throws. */
  perform(scenario: Scenario, given: Given, proxyKey: string): Promise<unknown>;
}

/** Names of the engines on the page, which gives them the version of the run. */
export const engineTitles: Readonly<Record<Engine, string>> = {
  chromium: "Chromium",
  firefox: "Firefox",
  webkit: "WebKitGTK",
};

const nodes = {
  [versions.node20]: "node-20",
  [versions.node22]: "node-22",
  [versions.node24]: undefined,
  [versions.node26]: "node-26",
} as const;

export function rowsOf(
  installation: Installation,
  browser: (engine: Engine) => Promise<Browser>,
  workerTitle: string,
): readonly Row[] {
  const within = (path: string): string => join(installation.runtimes, "node_modules", path);
  return [
    ...Object.entries(nodes).flatMap(([version, folder]) => {
      const command = folder === undefined ? node : within(`${folder}/bin/node`);
      return (["esm", "cjs"] as const).map((format) =>
        nodeRow(installation, version, command, format),
      );
    }),
    ...(["node16", "nodenext", "bundler"] as const).map((resolution) =>
      compiledRow(installation, resolution),
    ),
    bunRow(installation, within(".bin/bun")),
    denoRow(installation, within(".bin/deno")),
    {
      title: workerTitle,
      kind: "worker",
      perform: ({ program }, given) => runInWorker(installation, program, given),
    },
    ...(["chromium", "firefox", "webkit"] as const).flatMap((engine) =>
      (["vite", "esbuild"] as const).map((bundler) =>
        pageRow(installation, bundler, engine, browser),
      ),
    ),
  ];
}

function nodeRow(
  { app }: Installation,
  version: string,
  command: string,
  format: "esm" | "cjs",
): Row {
  return {
    title: `Node ${version}, ${format === "esm" ? "`import`" : "`require`"}`,
    kind: "node",
    node: version,
    async perform({ program }, given) {
      const file = join(app, `${program}-${version}.${format === "esm" ? "mjs" : "cjs"}`);
      await writeProgram(program, "process", format, file);
      const outcome = await messagesOf(command, [file, JSON.stringify(given)], app);
      same(outcome.versions["node"], version);
      return outcome.value;
    },
  };
}

function bunRow({ app }: Installation, command: string): Row {
  return {
    title: `Bun ${versions.bun}`,
    kind: "bun",
    async perform({ program }, given) {
      const file = join(app, `${program}-bun.mjs`);
      await writeProgram(program, "process", "esm", file);
      const outcome = await messagesOf(command, [file, JSON.stringify(given)], app);
      same(outcome.versions["bun"], versions.bun);
      return outcome.value;
    },
  };
}

function denoRow({ app }: Installation, command: string): Row {
  return {
    title: `Deno ${versions.deno}`,
    kind: "deno",
    async perform({ program, allow }, given) {
      const file = join(app, `${program}-deno.mjs`);
      await writeProgram(program, "process", "esm", file);
      const args = ["run", "--no-prompt", "--no-remote", ...allow, file, JSON.stringify(given)];
      const outcome = await messagesOf(command, args, app);
      same(outcome.versions["deno"], versions.deno);
      return outcome.value;
    },
  };
}

function compiledRow(installation: Installation, resolution: Resolution): Row {
  const meant = scenarios.filter(({ on }) => on.includes("typescript"));
  let compiled: Promise<Compiled> | undefined;
  const names = compilers.map((name) => tools[name].replace(/^.*@/, "")).join(" and ");
  return {
    title: `TypeScript ${names}, \`${resolution}\``,
    kind: "typescript",
    async perform({ program }, given) {
      compiled ??= compile(installation, resolution, meant);
      const made = await compiled;
      const complaints = made.complaintsAbout(program);
      if (complaints.length > 0) throw new Error(complaints.join("\n"));
      const outcomes = made.outputsOf(program).map(async (output) => {
        const own = { ...given, file: `${given.file}${output.at(-3)}` };
        return (await messagesOf(node, [output, JSON.stringify(own)], installation.app)).value;
      });
      const [first, ...others] = await Promise.all(outcomes);
      for (const other of others) same(JSON.stringify(other), JSON.stringify(first));
      return first;
    },
  };
}

function pageRow(
  installation: Installation,
  bundler: Bundler,
  engine: Engine,
  browser: (engine: Engine) => Promise<Browser>,
): Row {
  return {
    engine,
    title: `${engineTitles[engine]}, ${bundler === "vite" ? "Vite" : "esbuild"}`,
    kind: "page",
    async perform({ program }, given, proxyKey) {
      const built = await buildPage(installation, bundler, program);
      return runInPage(installation, await browser(engine), built, given, proxyKey);
    },
  };
}

function same(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`It is ${String(found)}, and not ${String(wanted)}.`);
}
