import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { assetPath, root } from "@tryon/test-kit/repository";
import { startProgram } from "@tryon/test-kit/start-program";
import { blocksOf } from "../code/blocks.ts";
import { isOutput } from "../code/output.ts";

const page = await readFile(join(import.meta.dirname, "record-and-replay.md"), "utf8");
const blocks = blocksOf("docs/guides/record-and-replay.md", page);
const commands = blocks.filter(({ language }) => language === "sh");

it("the commands of the page print what it shows", { timeout: 300_000 }, async () => {
  const mock = createMock({ latency: "100ms", options: { timeFormat: "offset" } });
  const server = await serve(mock);
  // Inside the repository, where programs find the packages.
  const places = join(root, "docs/.snippets");
  await mkdir(places, { recursive: true });
  const cwd = await mkdtemp(join(places, "recorded-"));
  onTestFinished(async () => {
    await server.close();
    mock.close();
    await rm(cwd, { recursive: true });
  });
  await copyFile(assetPath("person.jpg"), join(cwd, "me.jpg"));
  await copyFile(assetPath("shirt.png"), join(cwd, "shirt.png"));
  await writeFile(join(cwd, "app.ts"), blocks.find(({ name }) => name === "app.ts")?.code ?? "");
  const env = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    NODE_OPTIONS: "--conditions=@tryon/source",
    TRYON_API_KEY: mock.keys.test,
  };
  expect(commands).toHaveLength(5);
  for (const { code, output = "…\n" } of commands) {
    const command = code
      .replaceAll(/npx tryon-(\w+)/g, `node ${root}/packages/$1/src/cli/main.ts`)
      .replace("https://staging.tryon.example", server.url);
    const program = startProgram("sh", ["-c", command], { cwd, env });
    const { code: exit } = await program.ended;
    expect(isOutput(output, program.text) ? output : program.text).toBe(output);
    expect([command, exit]).toEqual([command, output.includes("Drift:") ? 1 : 0]);
  }
});
