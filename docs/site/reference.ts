import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  Application,
  Comment,
  OptionDefaults,
  type ProjectReflection,
  ReflectionKind,
  type TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

import { readEntries, type Entry } from "./entries.ts";
import { packageNames, readManifest, root } from "./places.ts";
import { titleOf, type NavigationGroup, type NavigationItem, type SitePage } from "./site-page.ts";

/** The reference of the packages, made from their sources. */
export interface Reference {
  readonly pages: readonly SitePage[];
  readonly navigation: readonly NavigationItem[];
}

/** Those of typedoc, and of what makes Markdown of it. */
interface Options extends Partial<TypeDocOptions>, Partial<PluginOptions> {}

/** What is said of each thing that can be imported, and of what its types name. */
const strictness: Partial<TypeDocOptions> = {
  treatWarningsAsErrors: true,
  // What the generated types of the contract are written with.
  blockTags: [...OptionDefaults.blockTags, "@constant", "@description"],
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
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
};

const form: Options = {
  plugin: ["typedoc-plugin-markdown"],
  router: "member",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: "table",
  indexFormat: "table",
  entryFileName: "index",
};

/** @throws Error when typedoc has anything to warn of; it says what on stderr. */
export async function makeReference(): Promise<Reference> {
  const entries = await readEntries();
  const manifests = await Promise.all(
    packageNames.map((name) => readManifest(join(root, "packages", name))),
  );
  const names = manifests.map(({ name }) => name);
  const options: Options = {
    ...strictness,
    ...form,
    entryPoints: entries.map(({ source }) => source),
    tsconfig: join(import.meta.dirname, "tsconfig.reference.json"),
    packagesRequiringDocumentation: names,
    excludeInternal: true,
    excludePrivate: true,
    disableGit: true,
    disableSources: true,
    readme: "none",
    logLevel: "Warn",
  };
  const app = await Application.bootstrapWithPlugins(options);
  const project = await app.convert();
  if (project === undefined) throw new Error("The sources do not compile: see above.");
  nameModules(project, entries);
  emptyEndpoints(project);
  for (const name of names) {
    // What is not exported is looked for in one package at a time.
    project.packageName = name;
    app.validate(project);
  }
  const folder = await mkdtemp(join(tmpdir(), "tryon-reference-"));
  try {
    await app.outputs.writeOutput({ name: "markdown", path: folder }, project);
    if (app.logger.hasErrors() || app.logger.hasWarnings()) {
      throw new Error("typedoc warns, see above: mend the docstring or export the type.");
    }
    return await readReference(folder, entries);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Modules are called as they are imported, not by where their files stand. */
function nameModules(project: ProjectReflection, entries: readonly Entry[]): void {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const file = module.name.replace(/\/src$/u, "/src/index");
    const entry = entries.find(({ source }) =>
      [`${file}.ts`, `${file}/index.ts`].some((path) => source.endsWith(`/packages/${path}`)),
    );
    if (entry === undefined) throw new Error(`No entry of a package is made from ${module.name}.`);
    module.name = entry.name;
    module.comment ??= new Comment([{ kind: "text", text: entry.about }]);
  }
}

/** The types of the endpoints are for the compiler: people read the contract, which they are made from. */
function emptyEndpoints(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Interface)) {
    if (reflection.name !== "paths" || !reflection.isDeclaration()) continue;
    const endpoints = reflection.children?.slice() ?? [];
    for (const endpoint of endpoints) project.removeReflection(endpoint);
    delete reflection.groups;
  }
}

async function readReference(folder: string, entries: readonly Entry[]): Promise<Reference> {
  const pages: SitePage[] = [];
  for await (const path of glob("@tryon/**/*.md", { cwd: folder })) {
    const text = tidy(await readFile(join(folder, path), "utf8"));
    const place = path.replace("@tryon/", "api/");
    const entry = entryOf(place, entries);
    const isEntry = place.endsWith("/index.md");
    const kind = /^# ([A-Z][a-z ]+): /u.exec(text)?.[1] ?? "";
    const own = text.replace(/^# [A-Z][a-z ]+: /iu, "# ");
    const title = titleOf(own, path);
    pages.push({
      source: place,
      path: place.replace(/\.md$/u, ""),
      title,
      about: isEntry ? entry.about : `${kind} of ${entry.name}`,
      kind: "reference",
      text: own,
    });
  }
  pages.sort((one, other) => (one.path < other.path ? -1 : 1));
  const index = indexPage(entries);
  const navigation = entries.map((entry) => ({
    page: pageOf(pages, `${placeOf(entry)}/index`),
    title: entry.name,
    below: groupsOf(entry, pages, entries),
  }));
  return { pages: [index, ...pages], navigation };
}

function placeOf(entry: Entry): string {
  return entry.name.replace("@tryon/", "api/");
}

/** The entry of the longest name that a page stands below. */
function entryOf(place: string, entries: readonly Entry[]): Entry {
  const [entry] = entries
    .filter((each) => place.startsWith(`${placeOf(each)}/`))
    .toSorted((one, other) => other.name.length - one.name.length);
  if (entry === undefined) throw new Error(`No entry of a package has the page ${place}.`);
  return entry;
}

function pageOf(pages: readonly SitePage[], path: string): SitePage {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`typedoc has made no page ${path}.`);
  return page;
}

const groups: readonly (readonly [folder: string, title: string])[] = [
  ["functions", "Functions"],
  ["classes", "Classes"],
  ["variables", "Values"],
  ["interfaces", "Interfaces"],
  ["type-aliases", "Types"],
];

function groupsOf(
  entry: Entry,
  pages: readonly SitePage[],
  entries: readonly Entry[],
): readonly NavigationGroup[] {
  const own = pages.filter(
    ({ source }) => entryOf(source, entries) === entry && !source.endsWith("/index.md"),
  );
  return groups.flatMap(([folder, title]) => {
    const items = own
      .filter(({ path }) => path.startsWith(`${placeOf(entry)}/${folder}/`))
      .map((page) => ({ page, title: nameOf(page), below: [] }));
    return items.length === 0 ? [] : [{ title, items }];
  });
}

/** `batch` of "Function: batch()". */
function nameOf(page: SitePage): string {
  return page.title.replace(/(\(\)|<.*>)$/u, "");
}

/** Rules between members, a heading for each default, and whence each was inherited: longer pages, and no clearer. */
function tidy(text: string): string {
  return text
    .replaceAll(/^\*\*\*\n+/gmu, "")
    .replaceAll(/^#+ Default(?: Value)?\n\n(?:```ts\n(.*)\n```|(.+))$/gmu, "Default: $1$2")
    .replaceAll(/^#+ (Inherited from|Overrides)\n\n.*\n+/gmu, "")
    .replaceAll(/^# (Module: )?(@tryon\/.*)$/gmu, "# $2");
}

function indexPage(entries: readonly Entry[]): SitePage {
  const about = "Everything that the packages export";
  const rows = entries.map(
    (entry) =>
      `| [\`${entry.name}\`](${placeOf(entry).slice("api/".length)}/index.md) | ${entry.about} |`,
  );
  const text = [
    "# Reference",
    "",
    `${about}, made from their sources.`,
    "",
    "| import from | what it is for |",
    "| --- | --- |",
    ...rows,
    "",
  ].join("\n");
  return {
    source: "api/index.md",
    path: "api/index",
    title: "Reference",
    about,
    kind: "reference",
    text,
  };
}
