import { expect, onTestFinished, test } from "vitest";

import { programs, runProgram, start } from "../../test/command.ts";
import { otherServer, served, withoutControl } from "../../test/served.ts";
import { version } from "../version.ts";

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
  expect(await runProgram(programs.contract, argv)).toEqual(left);
});

test("the command rejects a target that is not the service, from the environment", async () => {
  const url = await otherServer((_request, response) => response.end("hello"));
  const { code, stdout, stderr } = await runProgram(programs.contract, [], {
    TRYON_BASE_URL: url,
  });
  expect([code, stdout]).toEqual([6, ""]);
  expect(stderr).toMatch(/^tryon-contract: [^\n]* is not the try-on service: [^\n]*\n$/);
});

test("Ctrl+C ends a run with a partial report and 130", async () => {
  const hung = Promise.withResolvers<void>();
  const { url } = await served({}, (mock) => {
    let requests = 0;
    return withoutControl((resource, init) => {
      requests += 1;
      if (requests === 1) return mock.fetch(resource, init);
      hung.resolve();
      return new Promise(() => undefined);
    });
  });
  const program = start(programs.contract, ["--base-url", url, "--api-key", "svc_test_mock"]);
  onTestFinished(async () => void (await program.stop("SIGKILL")));
  await hung.promise;
  program.kill("SIGINT");
  expect((await program.ended).code).toBe(130);
  const { stdout } = program.output;
  expect(stdout).toContain("The run ended early");
  expect(stdout).toContain("The run ended before this check.");
});
