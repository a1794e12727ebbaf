import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import openapiTypeScript, { astToString, type OpenAPI3 } from "openapi-typescript";

import { programsPage, readersPage } from "./contents-pages.ts";
import { controlPage } from "./control-page.ts";
import { Contradiction, fidelityPage, serverRuleIds } from "./fidelity.ts";
import { pagesWithFiles, withFiles } from "./shown-files.ts";

/** A file that is made from `spec/`, and from the tests that refer to it, and never edited. */
interface GeneratedFile {
  /** Where it stands, from the root of the repository. */
  readonly path: string;
  /** Its text, made from what stands under `root`. */
  make(root: string): Promise<string>;
}

const command = "npm run generate";

const generatedFiles: readonly GeneratedFile[] = [
  { path: "packages/client/src/generated/openapi.ts", make: openapiTypes },
  { path: "packages/mock/src/generated/openapi.ts", make: openapiTypes },
  { path: "packages/mock/src/generated/server-rules.ts", make: serverRuleIds },
  { path: "packages/mock/src/generated/control-page.ts", make: controlPage },
  { path: "docs/fidelity.md", make: fidelityPage },
  // Made after the pages whose titles they list.
  { path: "docs/README.md", make: readersPage },
  { path: "docs/llms.txt", make: programsPage },
];

async function openapiTypes(root: string): Promise<string> {
  // The document is validated by its own tests; here only its outline is taken for granted.
  const document = JSON.parse(await readFile(join(root, "spec/openapi.json"), "utf8")) as OpenAPI3;
  const types = await openapiTypeScript(withoutIndexSignatures(document), {
    alphabetize: false,
    // A request field with a default may be left out, so its type stays optional.
    defaultNonNullable: false,
    silent: true,
  });
  const schemas = Object.entries(document.components?.schemas ?? {});
  return [
    `// Made from spec/openapi.json by \`${command}\`. Changes made here are lost.\n\n`,
    astToString(types).replace("export interface paths {", `${endpoints}$&`),
    ...schemas.map(
      ([name, schema]) =>
        `${summary(schema)}export type ${name} = components["schemas"]["${name}"];\n`,
    ),
  ].join("");
}

const endpoints = "/** Every endpoint of the service, as openapi-fetch reads them. */\n";

/** The first paragraph of what the contract says of a schema, and how the reference of the packages shows its type. */
function summary(schema: { readonly description?: string; readonly type?: unknown }): string {
  const [first = ""] = (schema.description ?? "").split("\n\n");
  const shown = schema.type === "object" ? "@interface" : "@useDeclaredType";
  return `/**\n * ${first.replaceAll("\n", "\n * ")}\n *\n * ${shown}\n */\n`;
}

/**
 * An index signature beside named properties makes `Omit` and `keyof` lose the names. JSON Schema is open anyway,
 * so leaving out `additionalProperties: true` changes no meaning.
 */
function withoutIndexSignatures(document: OpenAPI3): OpenAPI3 {
  const text = JSON.stringify(document, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || !("properties" in value)) return value;
    const { additionalProperties, ...rest } = value as { additionalProperties?: unknown };
    return additionalProperties === true ? rest : value;
  });
  return JSON.parse(text) as OpenAPI3;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function generate(root: string, checkOnly: boolean): Promise<number> {
  let stale = 0;
  const pages = await pagesWithFiles(root);
  const filled = pages.map((path) => ({ path, make: () => withFiles(root, path) }));
  for (const file of [...generatedFiles, ...filled]) {
    const path = join(root, file.path);
    const fresh = await file.make(root);
    if ((await textOf(path)) === fresh) continue;
    if (checkOnly) {
      stale += 1;
      process.stderr.write(
        `${file.path} does not match what it is made from. Run \`${command}\`.\n`,
      );
    } else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, fresh);
      process.stdout.write(`wrote ${file.path}\n`);
    }
  }
  return stale === 0 ? 0 : 1;
}

async function main(checkOnly: boolean): Promise<number> {
  try {
    return await generate(dirname(import.meta.dirname), checkOnly);
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

const [flag, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (flag !== undefined && flag !== "--check")) {
  process.stderr.write("Usage: node scripts/generate.ts [--check]\n");
  process.exitCode = 2;
} else {
  process.exitCode = await main(flag === "--check");
}
