import { execFile } from "node:child_process";
import { glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "../places.ts";

/** A site that was built for a test, as `npm run docs` builds it. */
export interface BuiltSite {
  readonly folder: string;
  /** From its root, with their endings. */
  readonly pages: readonly string[];
  readonly remove: () => Promise<void>;
}

export async function buildForTest(): Promise<BuiltSite> {
  const folder = await mkdtemp(join(tmpdir(), "tryon-site-"));
  const main = join(root, "docs/site/main.ts");
  const node = ["--conditions=@tryon/source", main, "--out", folder];
  await promisify(execFile)(process.execPath, node, { cwd: root });
  const pages: string[] = [];
  for await (const page of glob("**/*.html", { cwd: folder })) pages.push(page);
  return {
    folder,
    pages: pages.toSorted(),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
