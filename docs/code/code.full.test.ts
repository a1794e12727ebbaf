import { join } from "node:path";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { root } from "@tryon/test-kit/repository";
import { describe, expect, it, onTestFinished } from "vitest";

import { shownPages } from "./pages.ts";
import { programsOf, runs, timeout } from "./running.ts";

const programs = programsOf(await shownPages());

describe("code on pages", () => {
  runs(programs);

  it("compiles under the strictest options", { timeout }, async () => {
    const app = await AppFolder.inRepository("typed");
    onTestFinished(() => app.remove());
    for (const [index, { snippet }] of programs.entries())
      await app.write(`${index}-${snippet.name}`, snippet.code);
    const errors = await app.compile({
      extends: join(root, "tsconfig.json"),
      // Few apps set this option, and it would require brackets for every process.env.NAME.
      compilerOptions: { noPropertyAccessFromIndexSignature: false, jsxImportSource: "react" },
      include: ["*.ts", "*.tsx"],
    });
    expect(errors).toBe("");
  });
});
