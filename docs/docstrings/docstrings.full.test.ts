import { join } from "node:path";

import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { root } from "@tryon/test-kit/repository";

import { describe, expect, it, onTestFinished } from "vitest";

import { readExamples, type DocstringExample } from "./read-examples.ts";

const packages = ["client", "webhooks", "mock", "contract", "ai-sdk"];

/** Returns the errors of the strictest compiler options for an example, inside the scene that it assumes. */
async function complaints(examples: readonly DocstringExample[]): Promise<string> {
  const app = await AppFolder.inRepository("docstrings");
  onTestFinished(() => app.remove());
  for (const { place, code } of examples) {
    const name = place.replaceAll(/[/:]/gu, "_").replace(".ts", "");
    await app.write(`${name}.ts`, `${code}\nexport {};\n`);
  }
  return app.compile({
    extends: join(root, "tsconfig.json"),
    // An example may end with what it is about; and see the options of the code in the pages.
    compilerOptions: { noUnusedLocals: false, noPropertyAccessFromIndexSignature: false },
    include: ["*.ts", "../../docstrings/scene.ts", "../../docstrings/frameworks.d.ts"],
  });
}

describe("the examples of docstrings", () => {
  it("compile under the strictest options", { timeout: installing }, async () => {
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
