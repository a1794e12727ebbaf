import { fileURLToPath } from "node:url";

import { startScript } from "@tryon/test-kit/start-program";
import { expect, onTestFinished, test } from "vitest";

import { served, otherServer } from "../../test/served.ts";
import { version } from "../version.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));
function start(argv: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...environment,
  };
  const program = startScript(main, argv, { env });
  onTestFinished(async () => void (await program.stop("SIGKILL")));
  const ended = program.ended.then(({ code }) => ({ code, ...program.output }));
  return { child: program.child, ended };
}

test.each([
  [["help", "replay"], { code: 0, stdout: expect.stringContaining("--against"), stderr: "" }],
  [["--help"], { code: 0, stdout: expect.stringContaining("Exit codes:"), stderr: "" }],
  [["--version"], { code: 0, stdout: `${version}\n`, stderr: "" }],
  [
    ["--lvel"],
    {
      code: 2,
      stdout: "",
      stderr: "tryon-contract: unknown option --lvel. Did you mean --level?\n",
    },
  ],
])("the command %j says so and ends with its code", async (argv, left) => {
  expect(await start(argv).ended).toEqual(left);
});

test("the command rejects a target that is not the service, from the environment", async () => {
  const url = await otherServer((_request, response) => response.end("hello"));
  const { code, stdout, stderr } = await start([], { TRYON_BASE_URL: url }).ended;
  expect([code, stdout]).toEqual([6, ""]);
  expect(stderr).toMatch(/^tryon-contract: [^\n]* is not the try-on service: [^\n]*\n$/);
});

test("Ctrl+C ends a run with a partial report and 130", async () => {
  const hung = Promise.withResolvers<void>();
  const { url } = await served({}, (mock) => {
    let requests = 0;
    return (resource, init) => {
      requests += 1;
      const target = resource instanceof Request ? resource.url : String(resource);
      if (target.includes("/__mock")) return Promise.resolve(new Response(null, { status: 404 }));
      if (requests === 1) return mock.fetch(resource, init);
      hung.resolve();
      return new Promise(() => undefined);
    };
  });
  const { child, ended } = start(["--base-url", url, "--api-key", "svc_test_mock"]);
  await hung.promise;
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toContain("The run ended early");
  expect(stdout).toContain("The run ended before this check.");
});
