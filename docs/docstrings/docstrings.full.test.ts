import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "@tryon/test-kit/repository";

import { describe, expect, it, onTestFinished } from "vitest";

import { readExamples, type DocstringExample } from "./read-examples.ts";

const run = promisify(execFile);
const packages = ["client", "webhooks", "mock", "contract"];

/** Returns the errors of the strictest compiler options for an example, inside the scene that it assumes. */
async function complaints(examples: readonly DocstringExample[]): Promise<string> {
  // Inside the repository, so that the packages are found as an app finds them.
  await mkdir(join(root, "docs/.snippets"), { recursive: true });
  const folder = await mkdtemp(join(root, "docs/.snippets/docstrings-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const { place, code } of examples) {
    const name = place.replaceAll(/[/:]/gu, "_").replace(".ts", "");
    await writeFile(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
  }
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      // An example may end with what it is about; and see the options of the code in the pages.
      compilerOptions: { noUnusedLocals: false, noPropertyAccessFromIndexSignature: false },
      include: ["*.ts", "../../docstrings/scene.ts", "../../docstrings/frameworks.d.ts"],
    }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [compiler, "-p", folder]).then(
    ({ stdout }) => stdout,
    // The compiler prints errors to stdout and exits with a code other than 0.
    (error: unknown) => String(Reflect.get(Object(error), "stdout")),
  );
}

describe("the examples of docstrings", () => {
  it("compile under the strictest options", async () => {
    const examples = await readExamples(root, packages);
    for (const name of packages) {
      expect(examples.filter(({ place }) => place.includes(`/${name}/`))).not.toEqual([]);
    }
    // One that is wrong shows that the others are looked at.
    const wrong = { place: "wrong.ts:1", code: "tryon.run({ persons: photo });" };
    const lines = (await complaints([...examples, wrong])).trim().split("\n");
    expect(lines).toEqual([expect.stringContaining("'persons' does not exist")]);
  });
});
