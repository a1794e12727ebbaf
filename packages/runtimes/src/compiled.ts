import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Scenario } from "./scenarios.ts";
import { node } from "@tryon/test-kit/repository";
import { type Installation } from "./installation.ts";

const run = promisify(execFile);

/** Oldest and newest supported compiler. */
export const compilers = ["typescript-5.4", "typescript-7"] as const;
const newest = "typescript-7";

/** Module resolution of a project, with the options that it needs. */
const resolutions = {
  node16: { module: "node16", moduleResolution: "node16", lib: ["es2022"] },
  nodenext: { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022"] },
  bundler: {
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
  },
} as const;
export type Resolution = keyof typeof resolutions;

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: "es2022",
  types: ["node"],
};

/** Modules of several programs. */
const shared = ["program-context", "user-proxy"];

const startUp = (program: string) => `
import { argv, stdout, versions } from "node:process";
import { run } from "./${program}";

const start: (place: never) => Promise<unknown> = run;
void start(JSON.parse(argv[2] ?? "") as never).then((value) => stdout.write(JSON.stringify({ value, versions })));
`;

/** Diagnostics of every compiler, and the output folder of the newest. */
export interface Compiled {
  /** Errors of one program, as the compilers print them. */
  complaintsAbout(program: string): readonly string[];
  outputsOf(program: string): readonly string[];
}

/** Compiles programs as ES modules and, with a resolution that distinguishes both, as CommonJS. */
export async function compile(
  { app }: Installation,
  resolution: Resolution,
  scenarios: readonly Scenario[],
): Promise<Compiled> {
  const folder = join(app, `compiled-${resolution}`);
  await mkdir(folder);
  const formsOf = ({ esModulesOnly }: Scenario): readonly string[] =>
    resolution === "bundler" || esModulesOnly ? ["m"] : ["m", "c"];
  const filesOf = (scenario: Scenario): readonly string[] =>
    formsOf(scenario).map((form) => `start-${scenario.program}.${form}ts`);
  for (const form of ["m", "c"]) for (const name of shared) await copy(name, form, folder);
  for (const scenario of scenarios) {
    for (const form of formsOf(scenario)) {
      await copy(scenario.program, form, folder);
      const started = join(folder, `start-${scenario.program}.${form}ts`);
      await writeFile(started, startUp(`${scenario.program}.${form}js`));
    }
  }
  const complaints: string[] = [];
  const check = async (compiler: string, skipLibCheck: boolean, checked: readonly Scenario[]) => {
    const outDir = join(folder, compiler);
    const compilerOptions = { ...strict, skipLibCheck, ...resolutions[resolution], outDir };
    const project = join(folder, `${compiler}-${skipLibCheck ? "loose" : "strict"}.json`);
    await writeFile(project, JSON.stringify({ compilerOptions, files: checked.flatMap(filesOf) }));
    const path = join(app, "node_modules", compiler, "bin/tsc");
    const lines = await run(node, [path, "-p", project], { cwd: folder }).then(
      () => [],
      (error: Error & { readonly stdout: string }) => {
        // A compiler prints errors of the program to its output. After a crash, the output is empty.
        const said = error.stdout.split("\n").filter((line) => line.includes("error TS"));
        return said.length > 0 ? said : [error.message];
      },
    );
    complaints.push(...lines.map((line) => `${compiler}: ${line}`));
  };
  const ofMsw = scenarios.filter(({ usesMsw }) => usesMsw);
  for (const compiler of compilers) {
    await check(
      compiler,
      false,
      scenarios.filter((scenario) => !ofMsw.includes(scenario)),
    );
  }
  // Users of msw do not check its declarations either.
  if (ofMsw.length > 0) await check(newest, true, ofMsw);
  return {
    complaintsAbout: (program) => complaints.filter((line) => concerns(line, program)),
    outputsOf: (program) =>
      scenarios
        .filter((scenario) => scenario.program === program)
        .flatMap(formsOf)
        .map((form) => join(folder, newest, `start-${program}.${form}js`)),
  };
}

/** An error outside of all programs, such as in an installed declaration or a shared module, applies to each program. */
function concerns(complaint: string, program: string): boolean {
  const [, about = ""] = /: (.*?)\(\d+,\d+\)/.exec(complaint) ?? [];
  const [, name] = /^(?:start-)?([\w-]+)\.[mc]ts$/.exec(about) ?? [];
  return name === undefined || shared.includes(name) || name === program;
}

async function copy(program: string, form: string, folder: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, "programs", `${program}.ts`), "utf8");
  const compilable = text.replaceAll(/"(\.\/[\w-]+)\.ts"/g, `"$1.${form}js"`);
  await writeFile(join(folder, `${program}.${form}ts`), compilable);
}
