import { posix } from "node:path";

/** What a release reads of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly main?: string;
  readonly module?: string;
  readonly types?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Conditions;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly license?: string;
}

type Conditions = string | { readonly [condition: string]: Conditions };

/** Every file that a manifest leads to, and by which of its entries. */
export function exportedFiles(
  manifest: Manifest,
): readonly { readonly entry: string; readonly target: string }[] {
  const found: { entry: string; target: string }[] = [];
  const visit = (entry: string, conditions: Conditions | undefined): void => {
    if (conditions === undefined) return;
    if (typeof conditions === "string") {
      found.push({ entry, target: posix.normalize(conditions) });
      return;
    }
    for (const [key, inner] of Object.entries(conditions)) visit(`${entry}["${key}"]`, inner);
  };
  visit("main", manifest.main);
  visit("module", manifest.module);
  visit("types", manifest.types);
  visit("bin", manifest.bin);
  visit("exports", manifest.exports);
  return found;
}
