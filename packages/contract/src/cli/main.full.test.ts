import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

import { served, somethingElse } from "../testing/served.ts";
import { version } from "../version.ts";
import { help } from "./help.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const node = fileURLToPath(new URL("../../../../node_modules/node/bin/node", import.meta.url));

/** Starts the command as a process of its own; the test's end ends it. */
function start(argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(node, ["--conditions=@tryon/source", main, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...environment,
    },
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (texts[name] += text));
  }
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, ...texts }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended };
}

test.each([
  [["--help"], { code: 0, stdout: help(), stderr: "" }],
  [["--version"], { code: 0, stdout: `${version}\n`, stderr: "" }],
  [
    ["--lvel"],
    {
      code: 2,
      stdout: "",
      stderr: "tryon-contract: There is no option --lvel; did you mean --level?\n",
    },
  ],
])("the command %j says so and ends with its code", async (argv, left) => {
  expect(await start(argv).ended).toEqual(left);
});

test("the command says what it cannot look at, with the target from the environment", async () => {
  const url = await somethingElse((_request, response) => response.end("hello"));
  const { code, stdout, stderr } = await start([], { TRYON_BASE_URL: url }).ended;
  expect([code, stdout]).toEqual([6, ""]);
  expect(stderr).toMatch(
    /^tryon-contract: [^\n]*it is something else than the try-on service[^\n]*\n$/,
  );
});

test("Ctrl+C ends a run with what it has so far, and 130", async () => {
  const hung = Promise.withResolvers<void>();
  const { url } = await served({}, (mock) => {
    let calls = 0;
    return (resource, init) => {
      calls += 1;
      const address = resource instanceof Request ? resource.url : String(resource);
      if (address.includes("/__mock")) return Promise.resolve(new Response(null, { status: 404 }));
      if (calls === 1) return mock.fetch(resource, init);
      hung.resolve();
      return new Promise(() => undefined);
    };
  });
  const { child, ended } = start(["--base-url", url, "--api-key", "svc_test_mock"]);
  await hung.promise;
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toContain("The run was ended early");
  expect(stdout).toContain("The run was ended before this.");
});
