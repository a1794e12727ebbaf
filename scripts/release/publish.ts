import { join } from "node:path";

import type { Registry } from "./registry.ts";
import type { PackedPackage, Release } from "./release.ts";

/**
 * Publishes what the registry does not have yet, in order, and stops at the first that fails: run again, it goes on from
 * there.
 *
 * @returns whether everything is published.
 */
export async function publish(
  release: Release,
  folder: string,
  registry: Registry,
  say: (line: string) => void,
): Promise<boolean> {
  const done: PackedPackage[] = [];
  for (const one of release.packages) {
    const title = `${one.name} ${one.version}`;
    try {
      if (await isThere(one, registry)) {
        say(`${title} was published before.`);
      } else {
        await publishOne(one, folder, registry);
        say(`${title} is published.`);
      }
      done.push(one);
    } catch (error) {
      say(`${title} is NOT published: ${error instanceof Error ? error.message : String(error)}`);
      const left = release.packages.filter((other) => !done.includes(other));
      say(`Published: ${list(done)}. Not published: ${list(left)}.`);
      say("Mend the cause and run the same again: what is published is left alone.");
      return false;
    }
  }
  return true;
}

async function publishOne(one: PackedPackage, folder: string, registry: Registry): Promise<void> {
  try {
    await registry.publish(join(folder, one.tarball));
  } catch (error) {
    // An answer can get lost after the registry has taken the package.
    if (await isThere(one, registry).catch(() => false)) return;
    throw error;
  }
}

async function isThere(one: PackedPackage, registry: Registry): Promise<boolean> {
  const integrity = await registry.integrityOf(one.name, one.version);
  if (integrity === undefined) return false;
  if (integrity === one.integrity) return true;
  throw new Error(
    "the registry has this version with other contents, and a version is never published twice. Give what you have a version of its own.",
  );
}

function list(packages: readonly PackedPackage[]): string {
  return packages.map(({ name, version }) => `${name} ${version}`).join(", ") || "nothing";
}
