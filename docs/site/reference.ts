import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { Application, Comment, OptionDefaults, ReflectionKind } from "typedoc";
import type { ProjectReflection, TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

const root = join(import.meta.dirname, "../..");

/** An entry point of a published package. */
interface Entry {
  /** As it is imported: `@tryon/client/batch`. */
  readonly name: string;
  /** Its folder in the site: `api/client/batch`. */
  readonly path: string;
  readonly source: string;
}

const purposes: Readonly<Record<string, string>> = {
  "@tryon/client": "Try-ons from servers and pages: client, jobs, errors, credits",
  "@tryon/client/batch": "Try-ons of lists of any length",
  "@tryon/client/images": "Photos of visitors: rotated, smaller, and without their location",
  "@tryon/client/journal/postgres": "Journal of a batch in PostgreSQL",
  "@tryon/client/journal/redis": "Journal of a batch in Redis",
  "@tryon/client/journal/sqlite": "Journal of a batch in SQLite",
  "@tryon/client/node": "Node only: journal in a file, diagnostics, the proxy in Express",
  "@tryon/client/proxy": "Proxy on your server, so that pages need no API key",
  "@tryon/client/quota/postgres": "Counters of `createQuota` in PostgreSQL",
  "@tryon/client/quota/redis": "Counters of `createQuota` in Redis",
  "@tryon/client/quota/sqlite": "Counters of `createQuota` in SQLite",
  "@tryon/client/raw": "Each endpoint by its path, with the types of the contract",
  "@tryon/client/react": "React hooks for the try-on of a visitor",
  "@tryon/client/session": "Try-on of a visitor, across reloads and tabs",
  "@tryon/contract": "Conformance checks of a deployment",
  "@tryon/mock": "Reference server in process",
  "@tryon/mock/msw": "Reference server behind msw, in tests and pages",
  "@tryon/mock/node": "Reference server over HTTP",
  "@tryon/mock/vitest": "Reference server in the tests of a file",
  "@tryon/webhooks": "Webhooks: receive, verify, explain and sign",
  "@tryon/webhooks/express": "Receiver for Express",
  "@tryon/webhooks/fastify": "Receiver for Fastify",
  "@tryon/webhooks/hono": "Receiver for Hono",
  "@tryon/webhooks/koa": "Receiver for Koa",
  "@tryon/webhooks/lambda": "Receiver for AWS Lambda",
  "@tryon/webhooks/next": "Receiver for the Pages Router of Next.js",
  "@tryon/webhooks/node": "Receiver for `node:http`, and synchronous verification",
  "@tryon/webhooks/postgres": "Store of a receiver in PostgreSQL",
  "@tryon/webhooks/reconcile": "Events that were lost, found in the list of jobs",
  "@tryon/webhooks/redis": "Store of a receiver in Redis",
  "@tryon/webhooks/sqlite": "Store of a receiver in SQLite",
};

interface Manifest {
  readonly exports: Readonly<Record<string, { "@tryon/source"?: string }>>;
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> };
}

/** Returns the entry points that the published packages export. */
export function readEntries(): Entry[] {
  return ["client", "webhooks", "mock", "contract"].flatMap((folder) => {
    const file = join(root, "packages", folder, "package.json");
    const { exports, publishConfig } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    return Object.keys(publishConfig.exports).flatMap((path) => {
      const source = exports[path]?.["@tryon/source"];
      if (source === undefined) return [];
      const name = join("@tryon", folder, path);
      if (!(name in purposes)) throw new Error(`docs/site/reference.ts has no purpose of ${name}.`);
      return [{ name, path: name.replace("@tryon/", "api/"), source: join(dirname(file), source) }];
    });
  });
}

interface Options extends Partial<TypeDocOptions>, Partial<PluginOptions> {}

const options: Options = {
  plugin: ["typedoc-plugin-markdown"],
  tsconfig: join(import.meta.dirname, "tsconfig.reference.json"),
  excludeInternal: true,
  excludePrivate: true,
  disableGit: true,
  disableSources: true,
  readme: "none",
  logLevel: "Warn",
  treatWarningsAsErrors: true,
  // Tags of the generated types of the contract.
  blockTags: [...OptionDefaults.blockTags, "@constant", "@description"],
  // The other validations are on by default.
  validation: { notDocumented: true },
  requiredToBeDocumented: [
    "Enum",
    "EnumMember",
    "Variable",
    "Function",
    "Class",
    "Interface",
    "Method",
    "TypeAlias",
  ],
  router: "member",
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: "table",
  indexFormat: "table",
};

/**
 * Writes the reference of the packages as Markdown, from their docstrings.
 *
 * @throws Error for each warning of typedoc, which prints it to stderr.
 */
export async function writeReference(folder: string): Promise<void> {
  const entries = readEntries();
  const names = ["client", "webhooks", "mock", "contract", "cli"].map((name) => `@tryon/${name}`);
  const app = await Application.bootstrapWithPlugins({
    ...options,
    entryPoints: entries.map(({ source }) => source),
    packagesRequiringDocumentation: names,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("The sources do not compile: see above.");
  nameModules(project, entries);
  removeEndpoints(project);
  for (const name of names) {
    // typedoc looks for missing exports in one package at a time.
    project.packageName = name;
    // A helper of the type of JobData.
    app.options.setValue("intentionallyNotExported", name === names[0] ? ["Fields"] : []);
    app.validate(project);
  }
  const output = await mkdtemp(join(tmpdir(), "tryon-reference-"));
  try {
    await app.outputs.writeOutput({ name: "markdown", path: output }, project);
    if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("See above.");
    for (const page of globSync("@tryon/**/*.md", { cwd: output })) {
      const file = join(folder, page.replace("@tryon/", "api/"));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, tidy(await readFile(join(output, page), "utf8")));
    }
  } finally {
    await rm(output, { recursive: true });
  }
  const rows = entries.map(
    ({ name, path }) =>
      `| [\`${name}\`](${path.replace("api/", "")}/index.md) | ${purposes[name]} |`,
  );
  const table = ["| import | purpose |", "| --- | --- |", ...rows];
  await writeFile(join(folder, "api/index.md"), `# Reference\n\n${table.join("\n")}\n`);
}

/** Names modules as they are imported. */
function nameModules(project: ProjectReflection, entries: readonly Entry[]): void {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const file = module.name.replace(/\/src$/, "/src/index");
    const entry = entries.find(({ source }) =>
      [`${file}.ts`, `${file}/index.ts`].some((path) => source.endsWith(`/packages/${path}`)),
    );
    if (entry === undefined) throw new Error(`No entry point is made from ${module.name}.`);
    module.name = entry.name;
    module.comment ??= new Comment([{ kind: "text", text: purposes[entry.name] ?? "" }]);
  }
}

/** Removes the members of `paths`: people read the contract instead. */
function removeEndpoints(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Interface)) {
    if (reflection.name !== "paths" || !reflection.isDeclaration()) continue;
    for (const endpoint of reflection.children?.slice() ?? []) project.removeReflection(endpoint);
    delete reflection.groups;
  }
}

/** Shortens a page: no rules between members, no heading for a default, no origin of inherited members. */
function tidy(text: string): string {
  return text
    .replaceAll(/^\*\*\*\n+/gm, "")
    .replaceAll(/^#+ Default(?: Value)?\n\n(?:```ts\n(.*)\n```|(.+))$/gm, "Default: $1$2")
    .replaceAll(/^#+ (Inherited from|Overrides)\n\n.*\n+/gm, "")
    .replace(/^# (?:[A-Z][a-z ]+: )?/, "# ");
}
