import { readFileSync } from "node:fs";

import { UsageError } from "@tryon/cli-kit";
import { describe, expect, test } from "vitest";

import { version } from "../version.ts";
import { runMock } from "./program.ts";

/** Reads a command line. Returns the command and the text on stdout. */
async function read(argv: readonly string[], isTTY = false) {
  const output = { text: "" };
  const stdout = { isTTY, write: (text: string) => (output.text += text) };
  let command: object | undefined;
  const keep = (kind: string) => async (given: object) => {
    command = { kind, ...given };
    return 0;
  };
  await runMock(argv, { stdout, environment: {} }, { serve: keep("serve"), exec: keep("exec") });
  return { command, output: output.text };
}

describe("a command line", () => {
  test.each([
    [[], {}],
    [["serve"], {}],
    [["--port", "0", "--host", "0.0.0.0"], { port: 0, host: "0.0.0.0" }],
    [["--port=65535"], { port: 65_535 }],
    [["--latency", "1500"], { latency: 1_500 }],
    [["--latency", "2.5s"], { latency: 2_500 }],
    [["--latency", "1h"], { latency: 3_600_000 }],
    [["--credits", "0"], { credits: 0 }],
    [["--credits=100000000"], { credits: 100_000_000 }],
    [["--seed", "demo", "--engine", "composite"], { seed: "demo", engine: "composite" }],
    [["--profile", "alternate", "--config", "a.json"], { profile: "alternate", config: "a.json" }],
    [["--profile", "./observed.json"], { profile: { file: "./observed.json" } }],
    [["serve", "--print-env", "--quiet"], { printEnv: true, quiet: true }],
    [
      ["--cors-origin", "https://shop.example", "--cors-origin=*"],
      { corsOrigin: ["https://shop.example", "*"] },
    ],
    [["--log", "json"], { log: "json" }],
    [["--log=none"], { log: "none" }],
    [["--host", "0.0.0.0", "--open-control"], { host: "0.0.0.0", openControl: true }],
  ])("is read: %j", async (argv, expected) => {
    const usual = { kind: "serve", port: 4_010, host: "127.0.0.1" };
    expect(await read(argv)).toEqual({ command: { ...usual, ...expected }, output: "" });
  });

  test.each([
    [["--", "npm", "test"], {}],
    [["--quiet", "--port", "0", "--", "npm", "test"], { quiet: true }],
    [["--log", "pretty", "--", "npm", "test"], { log: "pretty" }],
    [["--seed=a", "--host", "::1", "--", "npm", "test"], { seed: "a", host: "::1" }],
    [
      ["--", "npx", "--port", "--", "--help", "--version"],
      { program: "npx", programArguments: ["--port", "--", "--help", "--version"] },
    ],
  ])("of exec is read up to the command that it runs: %j", async (argv, expected) => {
    const program = { program: "npm", programArguments: ["test"] };
    const usual = { kind: "exec", port: 0, host: "127.0.0.1", ...program };
    expect((await read(["exec", ...argv])).command).toEqual({ ...usual, ...expected });
  });

  test.each([
    [[], "pretty"],
    [["--print-env"], "pretty"],
    [["--log", "none"], "none"],
    [["--log", "json"], "json"],
    [["--quiet"], undefined],
    [["--quiet", "--log", "pretty"], "pretty"],
    [["exec", "--", "ls"], undefined],
  ])("on a terminal logs requests: %j as %s", async (argv, log) => {
    const { command } = await read(argv, true);
    expect(Reflect.get(Object(command), "log")).toBe(log);
  });

  test.each([
    [["--help"], "[options] [command]\n"],
    [["-h"], "[options] [command]\n"],
    [["help"], "[options] [command]\n"],
    [["serve", "-h"], "serve [options]\n"],
    [["--port", "0", "--help"], "serve [options]\n"],
    [["help", "serve"], "serve [options]\n"],
    [["exec", "--help"], "exec [options] -- <command> [args...]\n"],
    [["exec", "-h", "--", "ls"], "exec [options] -- <command> [args...]\n"],
    [["help", "exec"], "exec [options] -- <command> [args...]\n"],
  ])("prints help that ends with two examples and the URL of the docs: %j", async (argv, usage) => {
    const { command, output } = await read(argv);
    expect(command).toBeUndefined();
    expect(output.startsWith(`Usage: tryon-mock ${usage}`)).toBe(true);
    const end = /\nExamples:\n(?: {2}npx tryon-mock .+\n){2}\nDocs: (file:.+)\n$/;
    const [, docs = ""] = end.exec(output) ?? [];
    expect(readFileSync(new URL(docs), "utf8")).toMatch(/^# @tryon\/mock\n/);
    expect(output.replace(docs, "")).not.toMatch(/.{101}/);
  });

  test.each([[["--version"]], [["serve", "--version"]], [["exec", "--version"]]])(
    "prints the version: %j",
    async (argv) => {
      expect(await read(argv)).toEqual({ command: undefined, output: `${version}\n` });
    },
  );

  test.each([
    [
      ["--port", "65536"],
      "'--port <number>' is invalid. It must be a whole number from 0 to 65535",
    ],
    [["--port", "-1"], "--port"],
    [["--port", ""], "--port"],
    [["--port", "4010.5"], "--port"],
    [["--port"], "'--port <number>' argument missing"],
    [["--latency", "soon"], "'--latency <duration>' is invalid. It must be a duration such as 10s"],
    [["--latency", "1.5"], "--latency"],
    [
      ["--credits", "100000001"],
      "'--credits <number>' is invalid. It must be a whole number from 0 to 100000000",
    ],
    [["--credits", "-1"], "--credits"],
    [["--credits", "8.5"], "--credits"],
    [["--credits", "many"], "--credits"],
    [["--credits"], "'--credits <number>' argument missing"],
    [["--profile", "odd"], "It must be default or alternate, or a file such as ./profile.json."],
    [["--engine", "magic"], "'--engine <name>' is invalid. Allowed choices are stock, composite."],
    [["--log", "text"], "'--log <format>' is invalid. Allowed choices are pretty, json, none."],
    [["--log"], "'--log <format>' argument missing"],
    [["--cors-origin", "shop.example"], '"shop.example" is not an origin'],
    [["--seed", " "], "'--seed <text>' is invalid. It is empty"],
    [["--host", ""], "'--host <host>' is invalid. It is empty"],
    [["--colour"], "unknown option --colour. Run tryon-mock --help."],
    [["--latancy", "5"], "unknown option --latancy. Did you mean --latency?"],
    [["--prot=1"], "unknown option --prot=…. Did you mean --port?"],
    [["-p", "1"], "unknown option -p."],
    [["-psvc_live_a"], "unknown option. Run"],
    [["--svc_live_a"], "unknown option. Run"],
    [["--quiet=yes"], "unknown option --quiet=…."],
    [["serve", "twice"], "too many arguments for 'serve'"],
    [["srve"], "unknown command. Did you mean serve?"],
    [["exce"], "unknown command. Did you mean exec?"],
    [["help", "exce"], "unknown command."],
    [["trigger"], "unknown command. Run tryon-mock --help."],
    [["--port", "0", "exec", "--", "ls"], "too many arguments for 'serve'"],
    [["exec"], "such as tryon-mock exec -- npm test."],
    [["exec", "--"], "Write -- before the command"],
    [["exec", "vitest", "run"], "Write -- before the command"],
    [["exec", "vitest", "--", "run"], "Write -- before the command"],
    [["exec", "--print-env", "--", "ls"], "unknown option --print-env."],
    [["exec", "--seed", "--", "ls"], "'--seed <text>' argument missing"],
  ])("that is wrong is rejected in one line: %j", async (argv, sentence) => {
    const error: unknown = await read(argv).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(sentence);
    expect(String(error)).not.toContain("\n");
  });
});
