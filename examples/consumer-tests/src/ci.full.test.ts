import { readFile, writeFile } from "node:fs/promises";

import { createMock } from "@tryon/mock";
import { serve, type Serving } from "@tryon/mock/node";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";

import { CopiedExample, installing } from "./copied-example.ts";
import { commandsOf, type Command } from "./workflow.ts";

const mock = createMock();
let deployment: Serving;
let example: CopiedExample;
let commands: readonly Command[];

beforeAll(async () => {
  deployment = await serve(mock);
  example = await CopiedExample.install("ci");
  commands = commandsOf(await readFile(example.path("workflow.yml"), "utf8"), {
    "vars.TRYON_BASE_URL": deployment.url,
    "secrets.TRYON_TEST_KEY": mock.keys.test,
  });
}, installing);

afterAll(async () => {
  await deployment.close();
  mock.close();
  await example.remove();
}, installing);

beforeEach(() => mock.faults.clear());

/** Runs a command as a runner does. */
function run({ run: line, env }: Command): Promise<string> {
  return example.run("bash", ["-e", "-c", line], env);
}

/** The commands of a job, with what is to be found in their lines. */
function commandsWith(job: string, words: string): readonly Command[] {
  return commands.filter((command) => command.job === job && command.run.includes(words));
}

test("the workflow is one that GitHub Actions takes", { timeout: installing }, async () => {
  const validator = ["--yes", "--package", "@action-validator/core@0.6.0"];
  validator.push("--package", "@action-validator/cli@0.6.0", "--", "action-validator");
  await example.run("npx", [...validator, "workflow.yml"]);
  const text = await readFile(example.path("workflow.yml"), "utf8");
  await writeFile(example.path("wrong.yml"), text.replace("runs-on:", "run-on:"));
  await expect(example.run("npx", [...validator, "wrong.yml"])).rejects.toThrow("runs-on");
});

test("each of its commands ends well", { timeout: installing }, async () => {
  expect(commands.map(({ job, matrix }) => [job, ...Object.values(matrix)])).toEqual([
    ["test", "default"],
    ["test", "default"],
    ["test", "alternate"],
    ["test", "alternate"],
    ["contract"],
    ["contract"],
  ]);
  const lines = new Set<string>();
  for (const command of commands) {
    // The second installation would be like the first.
    if (command.run === "npm ci" && lines.has(command.run)) continue;
    lines.add(command.run);
    await run(command);
  }
  const report = await readFile(example.path("contract.xml"), "utf8");
  expect(report).toContain("<testsuite");
  expect(report).not.toContain("<failure");
  expect((await mock.ledger(mock.keys.test))?.entries ?? []).toEqual([]);
});

test("its tests fail when the app is broken", { timeout: installing }, async () => {
  const path = example.path("src/look.ts");
  const app = await readFile(path, "utf8");
  onTestFinished(() => writeFile(path, app));
  // An order that comes twice is then made, and paid, twice.
  await writeFile(path, app.replace("idempotencyKey: order, ", ""));
  for (const command of commandsWith("test", "--profile default")) {
    await expect(run(command)).rejects.toThrow(/ended with 1:[^]*16 !== 8/);
  }
});

test("its contract job fails when the deployment is broken", { timeout: installing }, async () => {
  mock.faults.add({ on: "GET /api/v1/tryon", status: 500 });
  for (const command of commandsWith("contract", "tryon-contract")) {
    await expect(run(command)).rejects.toThrow(/ended with 1:/);
  }
});
