import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Scenario } from "./scenarios.ts";
import { node } from "@tryon/test-kit/repository";
import { type Installation } from "./installation.ts";

const run = promisify(execFile);

/** The oldest compiler that is served, and the newest. */
export const compilers = ["typescript-5.4", "typescript-7"] as const;
const newest = "typescript-7";

/** How a project finds packages, and what else it has set so that it can. */
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

const startUp = (program: string) => `
import { argv, stdout, versions } from "node:process";
import { run } from "./${program}";

const start: (place: never) => Promise<unknown> = run;
void start(JSON.parse(argv[2] ?? "") as never).then((value) => stdout.write(JSON.stringify({ value, versions })));
`;

/** What every compiler says of the programs, and where the newest has put what it made of them. */
export interface Compiled {
  /** The complaints about one program, as the compilers write them. */
  complaintsAbout(program: string): readonly string[];
  /** What can be started of one program. */
  outputsOf(program: string): readonly string[];
}

/** Compiles programs as they are written, as ES modules and, where Node tells both apart, as CommonJS. */
export async function compile(
  { app }: Installation,
  resolution: Resolution,
  deeds: readonly Scenario[],
): Promise<Compiled> {
  const folder = join(app, `compiled-${resolution}`);
  await mkdir(folder);
  const formsOf = ({ esModulesOnly }: Scenario): readonly string[] =>
    resolution === "bundler" || esModulesOnly ? ["m"] : ["m", "c"];
  const filesOf = (deed: Scenario): readonly string[] =>
    formsOf(deed).map((form) => `start-${deed.program}.${form}ts`);
  for (const form of ["m", "c"]) await copy("place", form, folder);
  for (const deed of deeds) {
    for (const form of formsOf(deed)) {
      await copy(deed.program, form, folder);
      const started = join(folder, `start-${deed.program}.${form}ts`);
      await writeFile(started, startUp(`${deed.program}.${form}js`));
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
        // A compiler that finds something says so on its output; one that breaks down has another message.
        const said = error.stdout.split("\n").filter((line) => line.includes("error TS"));
        return said.length > 0 ? said : [error.message];
      },
    );
    complaints.push(...lines.map((line) => `${compiler}: ${line}`));
  };
  const ofMsw = deeds.filter(({ usesMsw }) => usesMsw);
  for (const compiler of compilers) {
    await check(
      compiler,
      false,
      deeds.filter((deed) => !ofMsw.includes(deed)),
    );
  }
  // The declarations of msw are its own affair; those who use it leave them unchecked.
  if (ofMsw.length > 0) await check(newest, true, ofMsw);
  return {
    complaintsAbout: (program) => complaints.filter((line) => concerns(line, program)),
    outputsOf: (program) =>
      deeds
        .filter((deed) => deed.program === program)
        .flatMap(formsOf)
        .map((form) => join(folder, newest, `start-${program}.${form}js`)),
  };
}

/** What is wrong outside of all programs, as in a declaration that is installed, concerns each. */
function concerns(complaint: string, program: string): boolean {
  const [, about = ""] = /: (.*?)\(\d+,\d+\)/.exec(complaint) ?? [];
  const inProgram = /^(?:start-)?([\w-]+)\.[mc]ts$/.exec(about);
  return inProgram === null || inProgram[1] === program;
}

async function copy(program: string, form: string, folder: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, "programs", `${program}.ts`), "utf8");
  const compilable = text.replace('"./place.ts"', `"./place.${form}js"`);
  await writeFile(join(folder, `${program}.${form}ts`), compilable);
}
