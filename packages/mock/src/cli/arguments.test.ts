import { describe, expect, test } from "vitest";

import { readArguments, UsageError } from "./arguments.ts";

const usual = {
  kind: "serve",
  port: 4010,
  host: "127.0.0.1",
  latency: undefined,
  seed: undefined,
  config: undefined,
  profile: undefined,
  engine: "stock",
  printEnv: false,
  quiet: false,
};

describe("a command line", () => {
  test.each([
    [[], {}],
    [["serve"], {}],
    [["--port", "0", "--host", "0.0.0.0"], { port: 0, host: "0.0.0.0" }],
    [["--port=65535"], { port: 65_535 }],
    [["--latency", "1500"], { latency: "1500ms" }],
    [["--latency", "2.5s"], { latency: "2.5s" }],
    [["--seed", "demo", "--engine", "composite"], { seed: "demo", engine: "composite" }],
    [["--profile", "contrary", "--config", "a.json"], { profile: "contrary", config: "a.json" }],
    [["serve", "--print-env", "--quiet"], { printEnv: true, quiet: true }],
  ])("is read: %j", (argv, expected) => {
    expect(readArguments(argv)).toEqual({ ...usual, ...expected });
  });

  test.each([
    [["--help"], "help"],
    [["-h", "--port", "0"], "help"],
    [["serve", "--version"], "version"],
  ])("asks for help or the version: %j", (argv, kind) => {
    expect(readArguments(argv)).toEqual({ kind });
  });

  test.each([
    [["--port", "65536"], 'from 0 to 65535; got "65536"'],
    [["--port", "-1"], "--port"],
    [["--port", ""], "--port"],
    [["--port", "4010.5"], "--port"],
    [["--port"], "--port"],
    [
      ["--latency", "soon"],
      '--latency has to be a number of milliseconds or a time such as 500ms, 1.5s, 2m; got "soon"',
    ],
    [["--latency", "1.5"], "--latency"],
    [["--profile", "odd"], '--profile has to be one of default, contrary; got "odd"'],
    [["--engine", "magic"], '--engine has to be one of stock, composite; got "magic"'],
    [["--colour"], "--colour"],
    [["--quiet=yes"], "--quiet"],
    [["trigger"], 'There is no command "trigger"'],
    [["serve", "twice"], 'There is no command "twice"'],
  ])("that cannot be understood is refused in one sentence: %j", (argv, sentence) => {
    expect(() => readArguments(argv)).toThrow(UsageError);
    expect(() => readArguments(argv)).toThrow(sentence);
    expect(() => readArguments(argv)).not.toThrow("\n");
  });
});
