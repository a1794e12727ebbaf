import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "@tryon/test-kit/repository";

import { describe, expect, it, onTestFinished } from "vitest";

import { readExamples, type DocstringExample } from "./read-examples.ts";

const run = promisify(execFile);
const packages = ["client", "webhooks", "mock", "contract"];

/** What the strictest compiler has to say of code that is put in the midst of what it takes for granted. */
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
    // What the compiler complains of is on stdout, and its exit code is not 0.
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
