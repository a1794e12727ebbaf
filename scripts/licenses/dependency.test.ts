import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { installedFolders, readDependency } from "./dependency.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tryon-licenses-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function install(name: string, manifest: object, license = "Take it."): Promise<string> {
  const path = join(folder, "node_modules", name);
  await mkdir(path, { recursive: true });
  const whole = { name, version: "1.0.0", license: "MIT", ...manifest };
  await writeFile(join(path, "package.json"), JSON.stringify(whole));
  if (license !== "") await writeFile(join(path, "LICENSE.md"), license);
  return path;
}

it("reads the license of a package with its text", async () => {
  const path = await install("hat", { license: "ISC" });
  expect(await readDependency(path)).toEqual({
    name: "hat",
    version: "1.0.0",
    license: "ISC",
    text: "Take it.",
  });
});

it.each(["GPL-3.0-only", undefined, "SEE LICENSE IN eula.txt"])(
  "lets %s not in",
  async (license) => {
    const path = await install("hat", { license });
    await expect(readDependency(path)).rejects.toThrow("hat 1.0.0 has the license");
  },
);

it("wants the text of the license, too", async () => {
  const path = await install("hat", {}, "");
  await expect(readDependency(path)).rejects.toThrow("comes without the text");
});

it("finds what is installed with a package, however deep, once", async () => {
  const hat = await install("hat", { dependencies: { ribbon: "1", "@a/felt": "1" } });
  await install("@a/felt", { dependencies: { ribbon: "1", hat: "1" } });
  await install("ribbon", { devDependencies: { loom: "1" } });
  expect((await installedFolders(hat)).map((path) => path.split("node_modules/").at(-1))).toEqual([
    "@a/felt",
    "hat",
    "ribbon",
  ]);
});

it("complains of what is not installed", async () => {
  const hat = await install("hat", { dependencies: { ribbon: "1" } });
  await expect(installedFolders(hat)).rejects.toThrow("ribbon");
});
