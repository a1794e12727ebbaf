import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { integrityOf, readRelease, writeRelease, type Release } from "./release.ts";

let folder: string;
let release: Release;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-release-"));
  await writeFile(join(folder, "hat.tgz"), "A hat.");
  const integrity = await integrityOf(join(folder, "hat.tgz"));
  const hat = {
    name: "@tryon/hat",
    version: "1.0.0",
    tarball: "hat.tgz",
    integrity,
    notes: "New.",
  };
  release = { commit: "c0ffee", packages: [hat] };
  await writeRelease(folder, release);
});

afterEach(() => rm(folder, { recursive: true }));

it("reads what was packed", async () => {
  expect(await readRelease(folder)).toEqual(release);
  expect(release.packages[0]?.integrity).toMatch(/^sha512-[\w+/]{86}==$/);
});

it("hands out no tarball that another run has left there", async () => {
  await writeFile(join(folder, "hat.tgz"), "An older hat.");
  await expect(readRelease(folder)).rejects.toThrow("hat.tgz is not the one");
});

it("says how to make what is not there", async () => {
  await expect(readRelease(join(folder, "none"))).rejects.toThrow("npm run release -- pack");
});
