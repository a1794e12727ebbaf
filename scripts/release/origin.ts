import { posix } from "node:path";

import { mapFileLinks } from "./links.ts";

/** Where the code of a release is to be seen. */
export interface Origin {
  /** The repository's page, such as `https://github.com/owner/name`. */
  readonly page: string;
  /** The commit that is released. */
  readonly commit: string;
}

/** What a workflow is told of the repository it runs for; `undefined` outside of one. */
export function originFrom(environment: NodeJS.ProcessEnv): Origin | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA } = environment;
  if (!GITHUB_REPOSITORY || !GITHUB_SHA) return undefined;
  const server = (GITHUB_SERVER_URL ?? "https://github.com").replace(/\/$/, "");
  return { page: `${server}/${GITHUB_REPOSITORY}`, commit: GITHUB_SHA };
}

/** A manifest as the registry shows it; provenance is refused where `repository` is not the one that built the package. */
export function publishedManifest(
  manifest: Readonly<Record<string, unknown>>,
  folder: string,
  origin: Origin | undefined,
): Record<string, unknown> {
  // What only the repository needs would be read as advice by who installs the package.
  const { scripts: _scripts, devDependencies: _devDependencies, ...shown } = manifest;
  if (origin === undefined) return shown;
  return {
    ...shown,
    homepage: `${origin.page}/tree/HEAD/${folder}#readme`,
    bugs: { url: `${origin.page}/issues` },
    repository: { type: "git", url: `git+${origin.page}.git`, directory: folder },
  };
}

/** A README whose links to the repository lead to the commit that is released, wherever the README is shown. */
export function publishedReadme(
  markdown: string,
  folder: string,
  origin: Origin | undefined,
): string {
  if (origin === undefined) return markdown;
  return mapFileLinks(
    markdown,
    (path) => `${origin.page}/blob/${origin.commit}/${posix.join(folder, path)}`,
  );
}
