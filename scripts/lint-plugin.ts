import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** The parts of the linter's nodes and context that the rule reads. */
interface Node {
  readonly source?: { readonly value?: unknown } | null;
}
interface Context {
  readonly filename: string;
  report(finding: { node: object; message: string }): void;
}

const message = "Import another package by its name, never by a path that leaves this one.";

/** Finds the outermost folder below the root of the workspace that has a package.json. */
function packageFolderOf(file: string): string {
  let found = "";
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "pnpm-workspace.yaml"))) return found || folder;
    if (existsSync(join(folder, "package.json"))) found = folder;
  }
  return found;
}

/** Forbids relative imports that leave the package. */
const noImportOutsidePackage = {
  create(context: Context) {
    const own = packageFolderOf(context.filename);
    const check = ({ source }: Node): void => {
      if (typeof source?.value !== "string" || !source.value.startsWith(".")) return;
      const target = resolve(dirname(context.filename), source.value);
      if (relative(own, target).startsWith("..")) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
      TSImportType: check,
    };
  },
};

export default {
  meta: { name: "workspace" },
  rules: { "no-import-outside-package": noImportOutsidePackage },
};
