import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { PackedPackage, Release } from "./release.ts";

const run = promisify(execFile);

/** Runs the command of GitHub, which reads the repository and its token from the environment. */
export type GitHub = (args: readonly string[]) => Promise<void>;

export const gitHub: GitHub = async (args) => {
  await run("gh", args);
};

/** The name of the tag, and of the release, of one version of one package. */
function tagOf({ name, version }: Pick<PackedPackage, "name" | "version">): string {
  return `${name}@${version}`;
}

/** Makes a tag and a release with notes for each package; what has a release already keeps it. */
export async function announce(
  release: Release,
  github: GitHub,
  say: (line: string) => void,
): Promise<void> {
  for (const one of release.packages) {
    const tag = tagOf(one);
    const exists = await github(["release", "view", tag]).then(
      () => true,
      () => false,
    );
    if (exists) {
      say(`${tag} was announced before.`);
      continue;
    }
    const what = ["--title", tag, "--notes", one.notes, "--target", release.commit];
    await github(["release", "create", tag, ...what, "--latest=false"]);
    say(`${tag} is announced.`);
  }
}
