import { copyFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { assetPath, root } from "@tryon/test-kit/repository";
import { serveMock } from "@tryon/test-kit/serve-mock";
import { readPage } from "../code/pages.ts";
import { isOutput } from "../code/output.ts";

const { blocks } = await readPage("docs/guides/record-and-replay.md");
const commands = blocks.filter(({ language }) => language === "sh");

it("the commands of the page print what it shows", { timeout: 300_000 }, async () => {
  const { mock, url } = await serveMock({ latency: "100ms", options: { timeFormat: "offset" } });
  const app = await AppFolder.inRepository("recorded");
  onTestFinished(() => app.remove());
  await copyFile(assetPath("person.jpg"), app.path("me.jpg"));
  await copyFile(assetPath("shirt.png"), app.path("shirt.png"));
  const recordings = join(root, "packages/contract/test/recordings/made");
  await copyFile(join(recordings, "devtools.har"), app.path("trace.har"));
  await app.write("app.ts", blocks.find(({ name }) => name === "app.ts")?.code ?? "");
  const env = {
    NODE_OPTIONS: "--conditions=@tryon/source",
    TRYON_API_KEY: mock.keys.test,
  };
  expect(commands).toHaveLength(6);
  for (const { code, output = "…\n" } of commands) {
    const command = code
      .replaceAll(/npx tryon-(\w+)/g, `node ${root}/packages/$1/src/cli/main.ts`)
      .replace("https://staging.tryon.example", url);
    const program = app.start("sh", ["-c", command], env);
    const { code: exit } = await program.ended;
    expect(isOutput(output, program.text) ? output : program.text).toBe(output);
    expect([command, exit]).toEqual([command, output.includes("Drift:") ? 1 : 0]);
  }
});
