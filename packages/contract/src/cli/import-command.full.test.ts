import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { startScript } from "@tryon/test-kit/start-program";
import { expect, test } from "vitest";

import { recordedOptions, recordingPath } from "../../test/recordings/recordings.ts";

const contract = fileURLToPath(new URL("main.ts", import.meta.url));
const mock = fileURLToPath(new URL("../../../mock/src/cli/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "import-"));
const inFolder = (name: string): string => join(folder, name);

async function run(script: string, ...args: readonly string[]) {
  const program = startScript(script, args, { env: { PATH: process.env["PATH"] }, cwd: folder });
  const { code } = await program.ended;
  return { code, ...program.output };
}

test.each([
  ["devtools.har", 19],
  ["nock-http.json", 17],
])("observe and replay take the session of %s", async (recording, count) => {
  const [session, observed] = [inFolder(`${recording}.ndjson`), inFolder("observed.json")];
  const imported = await run(contract, "import", recordingPath(recording), "--output", session);
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toMatch(
    new RegExp(`^${count} exchanges with http://127\\.0\\.0\\.1:\\d+ in `),
  );
  expect(imported.stdout).toContain(`${recording} still has the keys. Delete it`);
  expect(imported.stdout + readFileSync(session, "utf8")).not.toMatch(/svc_(live|test)|signature=/);
  expect(statSync(session).mode % 0o1000).toBe(0o600);
  const { code } = await run(contract, "observe", session, "--output", observed);
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(observed, "utf8"))).toMatchObject({
    profile: { options: recordedOptions },
  });
  const replay = [process.execPath, ...process.execArgv, contract, "replay", session];
  const exec = ["exec", "--quiet", "--config", observed, "--", ...replay, "--level", "paid"];
  const replayed = await run(mock, ...exec);
  expect(replayed.stdout).toMatch(new RegExp(`^1\\d of ${count} exchanges compared`));
  expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining("No drift") });
});

test.each(["observe", "replay"])("%s names import for a recording", async (command) => {
  const options = command === "replay" ? ["--against", "http://127.0.0.1:9"] : [];
  for (const file of ["firefox.har", "newman.json", "nock-http.json", "playwright-zip.zip"]) {
    const path = recordingPath(file);
    const { code, stderr } = await run(contract, command, path, ...options);
    expect([code, stderr]).toEqual([
      2,
      `tryon-contract ${command}: ${path} is a recording of another tool. Make a session of it: tryon-contract import ${path} --output session.ndjson\n`,
    ]);
  }
});

test("writes nothing for an invalid recording, and never over the recording", async () => {
  const [invalid, output] = [inFolder("invalid.har"), inFolder("none.ndjson")];
  writeFileSync(invalid, readFileSync(recordingPath("devtools.har"), "utf8").slice(0, -9));
  const failed = await run(contract, "import", invalid, "--output", output);
  expect([failed.code, existsSync(output)]).toEqual([2, false]);
  expect(failed.stderr).toMatch(
    /^tryon-contract import: invalid\.har is not complete JSON\. Give HAR/,
  );
  const own = inFolder("own.har");
  copyFileSync(recordingPath("devtools.har"), own);
  const before = readFileSync(own, "utf8");
  const over = await run(contract, "import", own, "--output", own);
  expect([over.code, over.stderr]).toEqual([
    2,
    "tryon-contract import: --output is the recording. Name another file.\n",
  ]);
  expect(readFileSync(own, "utf8")).toBe(before);
});

test.each([
  [
    "https://tryon.example/api/v1",
    "--base-url ends in the path of the API. Use https://tryon.example.",
  ],
  ["ftp://tryon.example", "--base-url must be an http or https URL"],
  ["https://other.example", "the recording has no request below --base-url"],
])("refuses --base-url %s", async (url, message) => {
  const { code, stderr } = await run(
    contract,
    "import",
    recordingPath("firefox.har"),
    "--base-url",
    url,
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
