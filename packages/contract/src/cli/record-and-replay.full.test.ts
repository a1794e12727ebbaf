import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";

import { createMock, optionTable, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { tenth } from "@tryon/test-kit/cases";
import { node } from "@tryon/test-kit/repository";
import { startListening } from "@tryon/test-kit/listen";
import { beforeAll, describe, expect, test } from "vitest";

import { programs, runProgram } from "../../test/command.ts";
import { newFile, newPath } from "../../test/files.ts";
import { recordedOptions } from "../../test/recordings/recordings.ts";
import { withoutControl } from "../../test/served.ts";

const { contract, mock: mockCommand } = programs;
const traffic = fileURLToPath(new URL("../../test/record-traffic.ts", import.meta.url));
const folder = newPath();
const inFolder = (name: string): string => `${folder}/${name}`;

const unusual = { ...recordedOptions, slashRedirect: true } as const;

const names = Object.keys(unusual) as (keyof typeof unusual)[];

const exchange = { format: 1, at: 1, method: "GET", path: "/", request: {}, endedAfter: 1 };
const oneExchange = newFile(`${JSON.stringify(exchange)}\n`);

function replayUnder(config: string, ...args: readonly string[]) {
  const replay = [node, "--conditions=@tryon/source", contract, "replay", inFolder("s.ndjson")];
  const exec = ["exec", "--quiet", "--config", config, "--", ...replay, ...args];
  return runProgram(mockCommand, exec);
}

/** Starts a proxy in front of a server that delays each response. */
async function slowProxy(target: string, delay: number) {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = httpRequest(`${target}${url}`, { method, headers }, (response) => {
      setTimeout(() => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      }, delay);
    });
    incoming.pipe(forwarded);
  });
  return startListening(server);
}

describe("traffic of a deployment with ten unusual values, behind a slow proxy", () => {
  let observed: MockOptions = {};

  beforeAll(async () => {
    const mock = createMock({ options: unusual, latency: "700ms" });
    const server = await serve(mock);
    const proxy = await slowProxy(server.url, 20);
    const record = ["record", "--output", inFolder("s.ndjson"), "--upstream", proxy.url];
    const live = ["--allow-live", "--max-credits", "100"];
    const program = [node, "--conditions=@tryon/source", traffic];
    const env = { TRYON_API_KEY: mock.keys.live };
    const recorded = await runProgram(contract, [...record, ...live, "--", ...program], env);
    await proxy.close();
    await server.close();
    mock.close();
    const output = inFolder("observed.json");
    const { code } = await runProgram(contract, [
      "observe",
      inFolder("s.ndjson"),
      "--output",
      output,
    ]);
    if (recorded.code !== 0 || code !== 0) throw new Error(`${recorded.stderr}, observe: ${code}`);
    // Written by the command in this form.
    observed = JSON.parse(readFileSync(output, "utf8")) as MockOptions;
  });

  test("shows the ten values, and the durations", () => {
    const { options } = Object(observed.profile) as { options: Record<string, unknown> };
    expect(options).toMatchObject(unusual);
    const defaults = createMock().options;
    const other = Object.entries(options).filter(([id]) => !(id in unusual));
    expect(other.filter(([id, value]) => defaults[id as keyof typeof defaults] !== value)).toEqual(
      [],
    );
    expect(observed.latency).toMatchObject({ "1K": { p50: expect.any(Number) as number } });
  });

  test("shows no drift when it is replayed under the observed configuration", async () => {
    const args = ["--level", "paid", "--report", "json"];
    const { code, stdout } = await replayUnder(inFolder("observed.json"), ...args);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result["drift"]).toEqual([]);
    expect(result["notCompared"]).toEqual([]);
    expect(result["compared"]).toBe(result["recorded"]);
    expect(code).toBe(0);
  });

  test.each(tenth(names))("names exactly the rule of a changed value: %s", async (id) => {
    const { profile, ...rest } = observed;
    const { options } = Object(profile) as { options: Record<string, unknown> };
    const value = optionTable.find((row) => row.id === id)?.values[0];
    const config = { ...rest, profile: { options: { ...options, [id]: value } } };
    const file = inFolder(`${id}.json`);
    writeFileSync(file, JSON.stringify(config));
    const { code, stdout } = await replayUnder(file, "--level", "paid", "--report", "json");
    const { drift } = JSON.parse(stdout) as { drift: { option?: string; rule: string }[] };
    expect(drift.map(({ option, rule }) => option ?? rule)).toEqual([id]);
    expect(code).toBe(1);
  });

  test("writes reports of drift in each form, and passes the exit code on", async () => {
    const config = inFolder("default.json");
    writeFileSync(config, "{}");
    const forms = ["junit", "html", "json"].map((form) => [
      "--report",
      `${form}=${inFolder(form)}`,
    ]);
    const { code, stdout } = await replayUnder(config, "--level", "paid", ...forms.flat());
    expect(code).toBe(1);
    expect(stdout).toContain(`Drift: ${names.length} differences`);
    expect(readFileSync(inFolder("junit"), "utf8")).toContain(`failures="${names.length}"`);
    expect(readFileSync(inFolder("html"), "utf8")).toContain("job.completed-at.form");
    expect(readFileSync(inFolder("json"), "utf8")).toContain('"option": "timeFormat"');
  });

  test("fails if nothing is compared, and refuses live keys without permission", async () => {
    const session = readFileSync(inFolder("s.ndjson"), "utf8").split("\n");
    const file = inFolder("posts.ndjson");
    writeFileSync(file, session.filter((line) => line.includes('"method":"POST"')).join("\n"));
    const mock = createMock();
    const server = await serve({ fetch: withoutControl(mock.fetch) });
    const against = ["replay", file, "--against", server.url];
    const nothing = await runProgram(contract, against, { TRYON_API_KEY: mock.keys.test });
    expect([nothing.code, nothing.stdout]).toEqual([1, expect.stringContaining("--level paid")]);
    const refused = await runProgram(contract, against, { TRYON_API_KEY: mock.keys.live });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--allow-live")]);
    const paid = await runProgram(contract, [...against, "--level", "paid", "--allow-live"]);
    expect([paid.code, paid.stderr]).toEqual([2, expect.stringContaining("--max-credits")]);
    await server.close();
    mock.close();
  });
});

test.each([
  ["no session file", ["none.ndjson", "--against", "http://127.0.0.1:1"], 2, /cannot be read/],
  ["no deployment", ["none.ndjson"], 2, /Use --against/],
  [
    "no base URL",
    [oneExchange, "--against", "https://key@tryon.example"],
    2,
    /without query and user/,
  ],
  ["http and a key", [oneExchange, "--against", "http://tryon.example"], 2, /--allow-http/],
  ["the help", ["--help"], 0, /^/],
])("ends with the exit code for %s", async (_, args, exit, message) => {
  const env = { TRYON_API_KEY: "svc_test_abcdefgh" };
  const { code, stderr, stdout } = await runProgram(contract, ["replay", ...args], env);
  expect(code).toBe(exit);
  expect(stderr).toMatch(message);
  expect(stdout.split("\n").length).toBeLessThanOrEqual(30);
});
