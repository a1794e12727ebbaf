import { copyFileSync, existsSync, readFileSync, statSync } from "node:fs";

import { expect, test } from "vitest";

import { programs, runContractProgram, runProgram } from "../../test/command.ts";
import { newFile, newPath } from "../../test/files.ts";
import { recordedOptions, recordingPath } from "../../test/recordings/recordings.ts";

test.each([
  ["devtools.har", 19],
  ["nock-http.json", 17],
])("observe and replay take the session of %s", async (recording, count) => {
  const [session, observed] = [newPath("s.ndjson"), newPath("observed.json")];
  const imported = await runContractProgram(
    "import",
    recordingPath(recording),
    "--output",
    session,
  );
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toMatch(
    new RegExp(`^${count} exchanges with http://127\\.0\\.0\\.1:\\d+ in `),
  );
  expect(imported.stdout).toContain(`${recording} still has the keys. Delete it`);
  expect(imported.stdout + readFileSync(session, "utf8")).not.toMatch(/svc_(live|test)|signature=/);
  expect(statSync(session).mode % 0o1000).toBe(0o600);
  const { code } = await runContractProgram("observe", session, "--output", observed);
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(observed, "utf8"))).toMatchObject({
    profile: { options: recordedOptions },
  });
  const replay = [process.execPath, ...process.execArgv, programs.contract, "replay", session];
  const exec = ["exec", "--quiet", "--config", observed, "--", ...replay, "--level", "paid"];
  const replayed = await runProgram(programs.mock, exec);
  expect(replayed.stdout).toMatch(new RegExp(`^1\\d of ${count} exchanges compared`));
  expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining("No drift") });
});

test.each(["observe", "replay"])("%s names import for a recording", async (command) => {
  const options = command === "replay" ? ["--against", "http://127.0.0.1:9"] : [];
  for (const file of ["firefox.har", "newman.json", "nock-http.json", "playwright-zip.zip"]) {
    const path = recordingPath(file);
    const { code, stderr } = await runContractProgram(command, path, ...options);
    expect([code, stderr]).toEqual([
      2,
      `tryon-contract ${command}: ${path} is a recording of another tool. Make a session of it: tryon-contract import ${path} --output session.ndjson\n`,
    ]);
  }
});

test("writes nothing for an invalid recording, and never over the recording", async () => {
  const whole = readFileSync(recordingPath("devtools.har"), "utf8");
  const [invalid, output] = [newFile(whole.slice(0, -9), "invalid.har"), newPath("none.ndjson")];
  const failed = await runContractProgram("import", invalid, "--output", output);
  expect([failed.code, existsSync(output)]).toEqual([2, false]);
  expect(failed.stderr).toMatch(
    /^tryon-contract import: invalid\.har is not complete JSON\. Give HAR/,
  );
  const own = newPath("own.har");
  copyFileSync(recordingPath("devtools.har"), own);
  const over = await runContractProgram("import", own, "--output", own);
  expect([over.code, over.stderr]).toEqual([
    2,
    "tryon-contract import: --output is the recording. Name another file.\n",
  ]);
  expect(readFileSync(own, "utf8")).toBe(whole);
});

test.each([
  [
    "https://tryon.example/api/v1",
    "--base-url ends in the path of the API. Use https://tryon.example.",
  ],
  ["ftp://tryon.example", "--base-url must be an http or https URL"],
  ["https://other.example", "the recording has no request below --base-url"],
])("refuses --base-url %s", async (url, message) => {
  const { code, stderr } = await runContractProgram(
    "import",
    recordingPath("firefox.har"),
    "--base-url",
    url,
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
