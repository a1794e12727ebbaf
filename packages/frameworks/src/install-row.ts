import { readFile } from "node:fs/promises";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { node } from "@tryon/test-kit/repository";
import { onTestFinished } from "vitest";

import type { Result, Row } from "./row.ts";

export function nameOf(spec: string): string {
  return spec.replace(/(?<=.)@.*/, "");
}

/**
 * Installs the packages of a row in a folder until the end of the test, and checks ours there.
 *
 * @param versions - Versions of packages. The others are the newest.
 */
export async function checkInstalled(
  { id, packages, scripts = false }: Row,
  versions: Result["versions"],
  { own = [], manifest = {} }: { readonly own?: readonly string[]; readonly manifest?: object },
  check: (app: AppFolder) => Promise<Result["outcomes"]>,
): Promise<Result> {
  const app = await AppFolder.create(id);
  onTestFinished(() => app.remove());
  const names = packages.map(nameOf);
  const specs = packages.map((spec, index) => {
    const { [names[index] ?? ""]: version } = versions;
    return version === undefined ? spec : `${names[index]}@${version}`;
  });
  await app.install([...own, ...specs], { scripts, manifest: { ...manifest } });
  const outcomes = await check(app);
  const installed = names.map(async (name) => {
    const text = await readFile(app.path("node_modules", name, "package.json"), "utf8");
    // npm has parsed the file.
    return [name, (JSON.parse(text) as { version: string }).version] as const;
  });
  return { versions: Object.fromEntries(await Promise.all(installed)), outcomes };
}

/** First line of an error that says something, without paths and colors. */
export function firstLine(error: unknown): string {
  const lines = String(error)
    // oxlint-disable-next-line no-control-regex -- Colors of a terminal.
    .replaceAll(/\u001B\[[\d;]*m/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const line = lines.find((one) => /error/i.test(one)) ?? lines.join(" ");
  return line.replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

/** Returns the command of arguments of Node, or of those of a package's command. */
export function commandOf(app: AppFolder, args: readonly string[]): [string, readonly string[]] {
  const [first = "", ...others] = args;
  if (/^-|[./]/.test(first)) return [node, args];
  return [app.path("node_modules/.bin", first), others];
}
