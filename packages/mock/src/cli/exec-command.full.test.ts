import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { command, commandWith, type Command } from "../../test/command.ts";
import { fileWith } from "../../test/temporary-files.ts";

/** Returns false for a process that has ended and was not awaited. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

/** The arguments after which a program of Node runs beside the server. */
function program(code: string, ...options: readonly string[]): readonly string[] {
  return ["exec", ...options, "--", process.execPath, "-e", code];
}

/** Waits for a line of the program, which is a number or a list. */
async function printed(run: Command): Promise<unknown> {
  const [line] = await run.waitFor(/^[[\d].*$/m);
  return JSON.parse(line);
}

const printEnvironment = `
  const { TRYON_BASE_URL, TRYON_API_KEY, TRYON_WEBHOOK_SECRET, TRYON_MOCK_TOKEN } = process.env;
  const headers = { authorization: "Bearer " + TRYON_API_KEY };
  fetch(TRYON_BASE_URL + "/api/v1/account", { headers }).then((response) => {
    console.log(JSON.stringify([response.status, TRYON_BASE_URL, TRYON_API_KEY, TRYON_WEBHOOK_SECRET, TRYON_MOCK_TOKEN]));
    process.exitCode = 7;
  });`;

function pidsOf(list: unknown): number[] {
  if (!Array.isArray(list)) throw new TypeError("The program prints the ids of two processes.");
  return list.map(Number);
}

describe("tryon-mock exec", () => {
  test("gives a command its own server and ends with the command's exit code", async () => {
    const environment = {
      TRYON_BASE_URL: "https://elsewhere.example",
      TRYON_API_KEY: "another",
      TRYON_MOCK_TOKEN: "",
    };
    const run = commandWith(environment, ...program(printEnvironment));
    expect(await run.ended).toEqual({ code: 7, signal: null });
    const url = await run.listening;
    const [, token = ""] = /\?token=([\w-]{32})$/m.exec(run.stderr()) ?? [];
    expect(JSON.parse(run.stdout())).toEqual([200, url, "svc_live_mock", "whsec_mock", token]);
    expect(run.stderr()).toBe(
      `tryon-mock listening on ${url}\n  control page ${url}/__mock/?token=${token}\n`,
    );
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  test("prints nothing itself with --quiet", async () => {
    const run = command(...program("console.log(1); console.error(2)", "--quiet"));
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect([run.stdout(), run.stderr()]).toEqual(["1\n", "2\n"]);
  });

  test("prints requests to stderr with --log", async () => {
    const run = command(...program(printEnvironment, "--log", "json", "--quiet"));
    expect(await run.ended).toEqual({ code: 7, signal: null });
    expect(run.stdout().trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(run.stderr())).toMatchObject({ path: "/api/v1/account", status: 200 });
  });

  test("takes the options of the server", async () => {
    const run = command(...program(printEnvironment, "--host", "0.0.0.0", "--seed", "a"));
    expect(await run.ended).toEqual({ code: 7, signal: null });
    const port = new URL(await run.listening).port;
    expect(run.stdout()).toContain(`"http://127.0.0.1:${port}"`);
    expect(run.stderr()).toContain(`others can reach port ${port} of this machine`);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("hands %s on and waits", async (signal) => {
    const code = `
      process.on("${signal}", () => { console.error("got ${signal}"); process.exit(9); });
      setInterval(() => {}, 1e6);
      console.log(process.pid);`;
    const run = command(...program(code, "--quiet"));
    const pid = Number(await printed(run));
    run.child.kill(signal);
    expect(await run.ended).toEqual({ code: 9, signal: null });
    expect(run.stderr()).toBe(`got ${signal}\n`);
    expect(isRunning(pid)).toBe(false);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends as a shell would when %s ends the command", async (signal, code) => {
    const run = command(...program("setInterval(() => {}, 1e6); console.log(process.pid)"));
    const pid = Number(await printed(run));
    run.child.kill(signal);
    expect(await run.ended).toEqual({ code, signal: null });
    expect(isRunning(pid)).toBe(false);
  });

  test("ends with 137 when another process kills the command", async () => {
    const run = command(...program("setInterval(() => {}, 1e6); console.log(process.pid)"));
    process.kill(Number(await printed(run)), "SIGKILL");
    expect(await run.ended).toEqual({ code: 137, signal: null });
  });
});

describe("tryon-mock exec leaves no process behind", () => {
  const background = `
    const child = require("node:child_process").spawn(process.execPath, ["-e", CODE], { stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.once("data", () => { console.log(JSON.stringify([process.pid, child.pid])); AFTER });`;
  const starting = (code: string, after: string): string =>
    background.replace("CODE", JSON.stringify(code)).replace("AFTER", after);
  const lasting = "setInterval(() => {}, 1e6); console.log(1)";

  const deaf = `process.on("SIGTERM", () => {}); ${lasting}`;

  test.each([
    ["when the command ends and leaves something running", lasting, "process.exit(3)", null, 3],
    ["not even one that does not listen to SIGTERM", deaf, "process.exit(0)", null, 0],
    ["when a signal ends the command alone", lasting, "", "SIGTERM", 143],
    ["when it is killed itself", lasting, "", "SIGKILL", null],
  ] as const)("%s", async (_when, code, after, signal, exitCode) => {
    const run = command(...program(starting(code, after)));
    const pids = pidsOf(await printed(run));
    const left = () => pids.filter(isRunning);
    if (signal !== null) run.child.kill(signal);
    expect((await run.ended).code).toBe(exitCode);
    // The guard ends the others a moment later.
    const isAtOnce = code === lasting && exitCode !== null;
    expect(isAtOnce ? left() : []).toEqual([]);
    await expect.poll(left, { interval: 5 }).toEqual([]);
  });
});

describe("a command that exec cannot run", () => {
  test("because it does not exist ends with 127 and one sentence", async () => {
    const run = command("exec", "--quiet", "--", "no-such-command");
    expect(await run.ended).toEqual({ code: 127, signal: null });
    expect(run.stderr()).toBe(
      'tryon-mock: "no-such-command" does not exist; check its name and PATH.\n',
    );
  });

  test("because it is not executable ends with 126 and one sentence", async () => {
    const path = fileWith("echo 1\n");
    chmodSync(path, 0o600);
    const run = command("exec", "--quiet", "--", path);
    expect(await run.ended).toEqual({ code: 126, signal: null });
    expect(run.stderr()).toContain(`"${path}" is not executable; run chmod +x`);
    expect(run.stderr().trimEnd().split("\n")).toHaveLength(1);
  });
});
