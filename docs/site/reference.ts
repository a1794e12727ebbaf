import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { Application, Comment, OptionDefaults, ReflectionKind } from "typedoc";
import type { ProjectReflection, TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

const root = join(import.meta.dirname, "../..");

/** An entry point of a published package, from its row in docs/reference.md. */
interface Entry {
  /** As it is imported: `@tryon/client/batch`. */
  readonly name: string;
  /** Its folder in the site: `api/client/batch`. */
  readonly path: string;
  readonly source: string;
  readonly purpose: string;
}

const rows = /^\| \[`(@tryon\/.+?)`\]\(\.\.\/(.+?)\) +\| (.+?) +\|$/gm;
export const entries: readonly Entry[] = [
  ...readFileSync(join(root, "docs/reference.md"), "utf8").matchAll(rows),
].map(([, name = "", source = "", purpose = ""]) => ({
  name,
  path: name.replace("@tryon/", "api/"),
  source,
  purpose,
}));

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
  const names = ["client", "webhooks", "mock", "contract", "cli", "ai-sdk"].map(
    (name) => `@tryon/${name}`,
  );
  const app = await Application.bootstrapWithPlugins({
    ...options,
    entryPoints: entries.map(({ source }) => join(root, source)),
    packagesRequiringDocumentation: names,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("The sources do not compile: see above.");
  nameModules(project);
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
}

function nameModules(project: ProjectReflection): void {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const entry = entries.find(
      ({ source }) => source.replaceAll(/^packages\/|(\/index)?\.ts$/g, "") === module.name,
    );
    if (entry === undefined) throw new Error(`No entry point is made from ${module.name}.`);
    module.name = entry.name;
    module.comment ??= new Comment([{ kind: "text", text: entry.purpose }]);
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
