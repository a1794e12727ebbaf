import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";

import { useMock } from "@tryon/mock/vitest";
import { freePort } from "@tryon/test-kit/free-port";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { commandsOf, type Command } from "./workflow.ts";

const mock = useMock({ latency: "1.5s" });
let example: AppFolder;
let commands: readonly Command[];

beforeAll(async () => {
  example = await AppFolder.copy("ci");
  commands = commandsOf(await readFile(example.path("workflow.yml"), "utf8"), {
    "vars.TRYON_BASE_URL": mock.url,
    "secrets.TRYON_TEST_KEY": mock.keys.test,
  });
}, installing);

afterAll(async () => {
  await example.remove();
}, installing);

function run({ run: line, env }: Command): Promise<string> {
  return example.run("bash", ["-e", "-c", line], env);
}

function commandsWith(job: string, words: string): readonly Command[] {
  return commands.filter((command) => command.job === job && command.run.includes(words));
}

test("the workflows are valid for GitHub Actions", { timeout: installing }, async () => {
  const validator = ["--yes", "--package", "@action-validator/core@0.6.0"];
  validator.push("--package", "@action-validator/cli@0.6.0", "--", "action-validator");
  await example.run("npx", [...validator, "workflow.yml"]);
  await example.run("npx", [...validator, "replay.yml"]);
  const text = await readFile(example.path("workflow.yml"), "utf8");
  await writeFile(example.path("wrong.yml"), text.replace("runs-on:", "run-on:"));
  await expect(example.run("npx", [...validator, "wrong.yml"])).rejects.toThrow("runs-on");
});

test("each of its commands succeeds", { timeout: installing }, async () => {
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
    // A second installation would be the same.
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
  const path = example.path("src/create-image.ts");
  const app = await readFile(path, "utf8");
  onTestFinished(() => writeFile(path, app));
  // Without the key, a repeated order is charged twice.
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

/** Runs the commands of the workflow after the installation, or only the last ones, and returns the calls of `gh`. */
async function runReplay(openIssues: readonly number[], skipped = 0) {
  const bin = example.path("bin");
  await mkdir(bin, { recursive: true });
  const calls = example.path("gh-calls.txt");
  await rm(calls, { force: true });
  await rm(example.path("summary.md"), { force: true });
  const issues = JSON.stringify(openIssues.map((number) => ({ number })));
  const stub = `#!/bin/sh\nprintf '%s\\n' "$*" >> "${calls}"\nif [ "$2" = list ]; then echo '${issues}'; fi\n`;
  await writeFile(join(bin, "gh"), stub, { mode: 0o755 });
  const values = {
    "vars.TRYON_BASE_URL": mock.url,
    "secrets.TRYON_TEST_KEY": mock.keys.test,
    "github.token": "token",
    "github.server_url": "https://github.example",
    "github.repository": "shop/app",
    "github.run_id": "7",
  };
  const [, replay, report] = commandsOf(await readFile(example.path("replay.yml"), "utf8"), values);
  const PATH = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const codes: (number | null)[] = [];
  for (const command of [replay, report].slice(skipped)) {
    const env = { ...command?.env, PATH, GITHUB_STEP_SUMMARY: example.path("summary.md") };
    const program = example.start("bash", ["-e", "-c", command?.run ?? "false"], env);
    codes.push((await program.ended).code);
  }
  const texts = [calls, example.path("summary.md")].map((file) =>
    existsSync(file) ? readFileSync(file, "utf8") : "",
  );
  return { codes, calls: texts[0] ?? "", summary: texts[1] ?? "" };
}

/** Runs the command that reports a result, which is not that of a replay. */
async function reportOf(openIssues: readonly number[], result: object) {
  const base = { against: "https://staging.example", recorded: 9, notCompared: [], drift: [] };
  await writeFile(example.path("drift.json"), JSON.stringify({ ...base, ...result }));
  await writeFile(example.path("drift.txt"), "Text report\n  <b>of the replay</b>\n");
  return runReplay(openIssues, 1);
}

describe("the replay of recorded traffic", () => {
  beforeAll(async () => {
    await mkdir(example.path("sessions"));
    const options = ["--upstream", mock.url, "--output", "sessions/staging.ndjson"];
    const requests = `const headers = { authorization: "Bearer ${mock.keys.test}" };
      for (const path of ["/api/v1/account", "/api/v1/tryon", "/api/v1/tryon/job_none", "/api/discovery"])
        await (await fetch(process.env.TRYON_BASE_URL + path, { headers })).text();`;
    const program = [process.execPath, "--input-type=module", "--eval", requests];
    await example.run("npx", ["tryon-contract", "record", ...options, "--", ...program]);
  }, installing);

  test("passes without an issue, and closes an open one", { timeout: installing }, async () => {
    expect(await runReplay([])).toMatchObject({
      codes: [0, 0],
      calls: expect.not.stringMatching(/create|close/) as string,
    });
    expect(await runReplay([3])).toMatchObject({
      codes: [0, 0],
      calls: expect.stringContaining("issue close 3") as string,
    });
    expect(await readFile(example.path("drift.xml"), "utf8")).not.toContain("<failure");
  });

  test(
    "opens one issue with the rules while the deployment differs",
    { timeout: installing },
    async () => {
      mock.faults.add({ on: "GET /api/v1/account", status: 500 });
      const first = await runReplay([]);
      expect(first.codes).toEqual([1, 0]);
      expect(first.calls).toContain("issue create --label api-drift");
      expect(first.calls).toContain("account.request-and-answer");
      expect(first.calls).toContain("https://github.example/shop/app/actions/runs/7");
      const second = await runReplay([3]);
      expect(second.calls).toContain("issue edit 3");
      expect(second.calls).not.toContain("issue create");
      expect(second.calls).not.toContain(mock.keys.test);
      for (const file of ["drift.xml", "drift.html", "drift.json", "drift.txt", "summary.md"]) {
        expect(await readFile(example.path(file), "utf8")).toContain("account.request-and-answer");
      }
    },
  );

  test("the issue counts distinct rules, and shows texts as code", async () => {
    const what = "@shop <img src=x>\n# `Heading` #1";
    const finding = { rule: "job.seed.used, job.metadata.echo", what, count: 2, places: ["s:1"] };
    const { calls, summary } = await reportOf([], {
      compared: 7,
      notCompared: [{ reason: "URLs need @image", count: 2 }],
      drift: [finding, { ...finding, rule: "job.seed.used" }],
    });
    expect(calls).toContain("than recorded: 2 rules");
    for (const text of [calls, summary]) {
      expect(text).toContain("7 of 9 recorded exchanges");
      expect(text).toContain("`job.seed.used`: `@shop <img src=x> # 'Heading' #1` (2 ×, `s:1`)");
      expect(text).toContain("- Not compared: 2 × `URLs need @image`");
    }
    // In code, as the lines before it.
    expect(summary).toContain("\n\n    Text report\n      <b>of the replay</b>\n");
    const one = await reportOf([], { compared: 7, drift: [{ ...finding, rule: "job.seed.used" }] });
    expect(one.calls).toContain("than recorded: 1 rule ");
  });

  test("the summary says that nothing was compared, and the issue stays", async () => {
    const notCompared = [{ reason: "A path is not recorded", count: 9 }];
    const { codes, calls, summary } = await reportOf([3], { compared: 0, notCompared });
    expect(codes).toEqual([0]);
    expect(calls).not.toMatch(/close|edit|create/);
    expect(summary).toMatch(/^Nothing was compared, so this run cannot show drift\.$/m);
    expect(summary).toContain("Not compared: 9 × `A path is not recorded`");
    await rm(example.path("drift.json"));
    const missing = await runReplay([3], 1);
    expect(missing).toMatchObject({ codes: [0], calls: "" });
    expect(missing.summary).toContain("The replay did not start");
  });
});

describe("the container", () => {
  test("has a valid Dockerfile with a pinned server", { timeout: installing }, async () => {
    const linter = ["--yes", "--package", "dockerfile-utils@0.16.3", "--", "dockerfile-utils"];
    await example.run("npx", [...linter, "lint", "Dockerfile"]);
    const text = await readFile(example.path("Dockerfile"), "utf8");
    const manifest = JSON.parse(await readFile(example.path("package.json"), "utf8")) as unknown;
    expect(manifest).toHaveProperty("devDependencies.@tryon/mock");
    expect(text).toMatch(/^RUN npm install .*@tryon\/mock@1\.0\.0 /m);
    await writeFile(example.path("Wrong.Dockerfile"), text.replace("EXPOSE", "EXPOSES"));
    const wrong = example.run("npx", [...linter, "lint", "Wrong.Dockerfile"]);
    await expect(wrong).rejects.toThrow("Unknown instruction");
  });

  test("is healthy while the server of its entry point runs", async () => {
    const text = await readFile(example.path("Dockerfile"), "utf8");
    const port = String(await freePort());
    /** Returns the JSON of an instruction, for a free port. */
    const commandOf = (instruction: string): string[] => {
      const [, json = ""] = new RegExp(`${instruction} (\\[.+\\])$`, "m").exec(text) ?? [];
      // The linter has checked that these are lists of strings.
      return JSON.parse(json.replaceAll("4010", port)) as string[];
    };
    const [program = "", ...args] = commandOf("ENTRYPOINT");
    const [node = "", ...check] = commandOf("CMD");
    const server = example.start(example.path(program), [...args, "--latency", "0"]);
    onTestFinished(async () => void (await server.stop()));
    await server.waitFor(/listening on http:\/\/0\.0\.0\.0:/);
    await example.run(node, check);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await expect(example.run(node, check)).rejects.toThrow("ended with 1");
  });

  test("has a test for Testcontainers that compiles", { timeout: installing }, async () => {
    const readme = await readFile(example.path("README.md"), "utf8");
    const [, code = ""] = /^```ts container\.test\.ts peer\n([^]+?)^```$/m.exec(readme) ?? [];
    await writeFile(example.path("container.test.ts"), code);
    // The commands of the workflow would run it.
    onTestFinished(() => rm(example.path("container.test.ts")));
    const packages = ["testcontainers@12.2.0", "typescript@6.0.3", "@types/node@24.19.2"];
    await example.run("npm", ["install", "--no-save", "--ignore-scripts", ...packages]);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node"];
    const tsc = ["tsc", ...options, "--skipLibCheck", "container.test.ts"];
    await example.run("npx", tsc);
    await writeFile(example.path("container.test.ts"), code.replace("withCommand", "withCommands"));
    await expect(example.run("npx", tsc)).rejects.toThrow("'withCommands' does not exist");
  });
});
