import { readFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";

import { cases } from "@tryon/test-kit/cases";
import { node } from "@tryon/test-kit/repository";
import { describe, expect, onTestFinished, test } from "vitest";

import { programs, runContractProgram, start } from "../../test/command.ts";
import { exchangesIn, newFile, newPath } from "../../test/files.ts";
import { otherServer, served } from "../../test/served.ts";
import { parseExchange } from "../record/exchange.ts";

const session = (): string => newPath("session.ndjson");

const run = (...argv: readonly string[]) => runContractProgram("record", ...argv);

async function record(upstream: string, ...more: readonly string[]) {
  const output = session();
  return { output, ...(await run("--upstream", upstream, "--output", output, ...more)) };
}

async function proxyOf(upstream: string, output: string) {
  const argv = ["record", "--upstream", upstream, "--output", output];
  const program = start(programs.contract, argv);
  onTestFinished(async () => void (await program.stop("SIGKILL")));
  const [, url = ""] = await program.waitFor(/at (http:\S+)\. Stop/);
  return { program, url };
}

function sending(script: string): string[] {
  const text = `const url = process.env.TRYON_BASE_URL;\n${script}`;
  return ["--", node, newFile(text, "script.mjs")];
}

const account = `
  const headers = { authorization: "Bearer svc_test_mock" };
  await fetch(url + "/api/v1/account", { headers });`;

test("the help fits on one screen", async () => {
  const { code, stdout } = await run("--help");
  expect(code).toBe(0);
  expect(stdout).toContain("tryon-contract record");
  expect(stdout.split("\n").length).toBeLessThanOrEqual(24);
});

test("the requests of a command are recorded, and its exit code is returned", async () => {
  const { url } = await served();
  const { output, ...ended } = await record(url, ...sending(`${account} process.exit(7);`));
  expect(ended).toEqual({
    code: 7,
    stdout: "",
    stderr: `tryon-contract record: 1 exchanges in ${output}\n`,
  });
  expect(exchangesIn(output)).toMatchObject([
    { path: "/api/v1/account", response: { status: 200 } },
  ]);
});

test("a command that sends nothing fails, as nothing was recorded", async () => {
  const { url } = await served();
  const { code, stderr } = await record(url, ...sending(""));
  expect(code).toBe(1);
  expect(stderr).toContain("Nothing was recorded. Does the command use TRYON_BASE_URL?\n");
});

test("a live key is refused, unless the command line allows it", async () => {
  const { mock, url } = await served();
  const script = account.replace("svc_test_mock", mock.keys.live);
  const { stderr } = await record(url, ...sending(script));
  expect(stderr).toContain(
    "1 requests were refused, because of their live key, --max-credits, path, host or origin.",
  );
  const allowed = await record(url, "--allow-live", "--max-credits", "0", ...sending(script));
  expect(allowed.stderr).toContain("record: 1 exchanges in");
});

test.each([
  [[], "the deployment is missing. Use --upstream, or set TRYON_BASE_URL."],
  [
    ["--upstream", "http://tryon.example"],
    "--upstream is http: others could read keys and photos. Use https, or --allow-http.",
  ],
  [
    ["--upstream", "https://key@tryon.example"],
    "--upstream must be an http or https URL without query and user name.",
  ],
  [
    ["--upstream", "https://tryon.example/api/v1"],
    "--upstream ends in the path of the API. Use https://tryon.example.",
  ],
  [
    ["--upstream", "https://tryon.example", "--allow-live"],
    "--allow-live needs --max-credits, such as 100: live keys cost money.",
  ],
  [
    ["--upstream", "https://tryon.example", "--output", "no/folder/session.ndjson"],
    "no/folder/session.ndjson cannot be written (ENOENT). Check its folder.",
  ],
])("the command line %j is refused before anything starts", async (argv, problem) => {
  expect(await run(...argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: `tryon-contract record: ${problem}\n`,
  });
});

test("Ctrl+C ends the recorder, and the session is complete", async () => {
  const { url } = await served();
  const output = session();
  const { program, url: proxyUrl } = await proxyOf(url, output);
  await fetch(`${proxyUrl}/api/v1/account`);
  program.kill("SIGINT");
  expect((await program.ended).code).toBe(0);
  expect(exchangesIn(output)).toMatchObject([{ response: { status: 401 } }]);
});

describe("a recorder that is killed", () => {
  test.each(Array.from({ length: cases(50) }, (_, index) => [index + 1]))(
    "after %d × 5 responses has all that its clients have seen end",
    async (moment) => {
      const { url } = await served();
      const output = session();
      const { program, url: proxyUrl } = await proxyOf(url, output);
      let seen = 0;
      const load = Array.from({ length: 8 }, async () => {
        while (program.child.exitCode === null && program.child.signalCode === null) {
          const response = await fetch(`${proxyUrl}/api/v1/account`);
          await response.arrayBuffer();
          seen += 1;
          if (seen === moment * 5) program.kill("SIGKILL");
        }
      });
      await Promise.allSettled(load);
      await program.ended;
      const lines = (await readFile(output, "utf8")).split("\n");
      // The last line can be cut.
      lines.pop();
      expect(lines.length).toBeGreaterThanOrEqual(seen);
      for (const line of lines) parseExchange(line);
    },
  );
});

test("memory stays below 250 MiB while 8 bodies of 64 MiB pass in both directions", async () => {
  const mebibyte = Buffer.alloc(1_048_576, "iVBORw0KGgoA");
  const upstream = await otherServer((request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    request.pipe(response);
  });
  const output = session();
  const { program, url } = await proxyOf(upstream, output);
  const send = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const sent = httpRequest(url, { method: "POST", headers }, (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.once("end", () => resolve(bytes));
      }).once("error", reject);
      let parts = 64;
      const write = (): void => {
        while (parts > 0) {
          parts -= 1;
          if (!sent.write(mebibyte)) return void sent.once("drain", write);
        }
        sent.end('"}');
      };
      sent.write('{"result_b64":"');
      write();
    });
  const bytes = await Promise.all(Array.from({ length: 8 }, send));
  expect(new Set(bytes)).toEqual(new Set([64 * 1_048_576 + 17]));
  const [, peak] =
    /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${program.child.pid}/status`, "utf8")) ?? [];
  expect(Number(peak) / 1_024).toBeLessThan(250);
  const marker = { kind: "png", bytes: 48 * 1_048_576, sha256: expect.any(String) };
  program.kill("SIGINT");
  await program.ended;
  expect(exchangesIn(output)).toHaveLength(8);
  for (const { request, response } of exchangesIn(output)) {
    expect([request.body, response?.body]).toEqual([
      { result_b64: marker },
      { result_b64: marker },
    ]);
  }
});
