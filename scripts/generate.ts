import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import openapiTypeScript, { astToString, type OpenAPI3 } from "openapi-typescript";

import { frameworksPage } from "../packages/frameworks/src/page.ts";
import { runnersPage } from "../packages/frameworks/src/runners/runners-page.ts";
import { toolsPage } from "../packages/frameworks/src/tools/tools-page.ts";
import * as fixes from "../packages/webhooks/src/receiver/raw-body-fixes.ts";
import { apiDocsPage } from "./api-docs-page.ts";
import { cliPage } from "./cli-reference.ts";
import { controlPage } from "./control-page.ts";
import { docsPages } from "./docs-pages.ts";
import { optionModule, readOptions, withOptionTables, withTable } from "./option-files.ts";
import { ruleCoverage } from "./rule-coverage.ts";
import { stockImages, stockImagesFile } from "./stock-images.ts";

/**
 * Writes the generated files under `root`, or only checks them.
 *
 * @returns what is wrong with the sources, and with `check` also each file that is out of date.
 */
export async function generate(root: string, check: boolean): Promise<readonly string[]> {
  const problems: string[] = [];
  const update = (path: string, text: string): void => {
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, "utf8") === text) return;
    if (check) problems.push(`${path} is out of date. Run \`npm run generate\`.`);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  };
  update("spec/generated/openapi.ts", await openapiTypes(root));
  update("packages/mock/src/generated/control-page.ts", controlPage(root));
  update("packages/mock/src/generated/api-docs-page.ts", apiDocsPage(root));
  update("packages/mock/src/generated/options.ts", optionModule(readOptions(root)));
  const images = join(root, stockImagesFile);
  const previous = existsSync(images) ? readFileSync(images, "utf8") : undefined;
  update(stockImagesFile, await stockImages(root, previous));
  const { type, page } = ruleCoverage(root, problems);
  update("packages/mock/src/generated/server-rules.ts", type);
  update("docs/fidelity.md", page);
  if (existsSync(join(root, "packages/frameworks"))) {
    update("docs/frameworks.md", frameworksPage(root));
    update("docs/tools.md", toolsPage());
    update("docs/test-runners.md", runnersPage());
  }
  for (const [path, text] of docsPages(root, problems)) {
    const isService = path === "docs/guides/service.md";
    const tables = path === "docs/guides/webhooks.md" ? [rawBodyRows()] : [];
    update(path, isService ? withOptionTables(text, root) : tables.reduce(withTable, text));
  }
  const commands = await cliPage(root);
  if (commands) update(...commands);
  return problems;
}

/** Returns the table of what to change in a framework whose parser reads bodies before a receiver. */
function rawBodyRows(): string[][] {
  const { describeFix: _, ...frameworks } = fixes;
  const rows = Object.values(frameworks).map(({ name, fix, lines }) => [
    name,
    `${fix[0]?.toUpperCase()}${fix.slice(1)}`,
    lines.map((line) => `\`${line}\``).join(" "),
  ]);
  return [["framework", "if a parser reads the body first", "code"], ...rows];
}

async function openapiTypes(root: string): Promise<string> {
  // The tests of spec/ validate the document.
  const text = readFileSync(join(root, "spec/openapi.json"), "utf8");
  const document = JSON.parse(text, withoutIndexSignature) as OpenAPI3;
  // A response can omit a field with a default.
  const options = { alphabetize: false, defaultNonNullable: false, silent: true };
  const types = astToString(await openapiTypeScript(document, options));
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
    const [summary = ""] = (schema.description ?? "").split("\n\n");
    // For the API reference.
    const tag = "type" in schema && schema.type === "object" ? "@interface" : "@useDeclaredType";
    const comment = `/**\n * ${summary.replaceAll("\n", "\n * ")}\n *\n * ${tag}\n */\n`;
    return `${comment}export type ${name} = components["schemas"]["${name}"];\n`;
  });
  const notice = "// Generated from spec/openapi.json by `npm run generate`. Do not edit.\n\n";
  const comment = "/** Every endpoint, for openapi-fetch. */\n$&";
  return notice + types.replace("export interface paths {", comment) + schemas.join("");
}

/** Drops `additionalProperties: true` beside properties: the index signature hides their names from `keyof`. */
function withoutIndexSignature(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("properties" in value)) return value;
  const { additionalProperties, ...rest } = value as { additionalProperties?: unknown };
  return additionalProperties === true ? rest : value;
}

if (import.meta.main) {
  const problems = await generate(dirname(import.meta.dirname), process.argv[2] === "--check");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
