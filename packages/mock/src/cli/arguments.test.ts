import { describe, expect, test } from "vitest";

import { readArguments } from "./arguments.ts";
import { UsageError } from "./flags.ts";

const usual = {
  kind: "serve",
  port: 4010,
  host: "127.0.0.1",
  latency: undefined,
  seed: undefined,
  config: undefined,
  profile: undefined,
  engine: undefined,
  corsOrigins: undefined,
  printEnv: false,
  openControl: false,
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
    [["--profile", "alternate", "--config", "a.json"], { profile: "alternate", config: "a.json" }],
    [["--profile", "./observed.json"], { profile: { file: "./observed.json" } }],
    [["serve", "--print-env", "--quiet"], { printEnv: true, quiet: true }],
    [
      ["--cors-origin", "https://shop.example", "--cors-origin=*"],
      { corsOrigins: ["https://shop.example", "*"] },
    ],
    [["--host", "0.0.0.0", "--open-control"], { host: "0.0.0.0", openControl: true }],
  ])("is read: %j", (argv, expected) => {
    expect(readArguments(argv)).toEqual({ ...usual, ...expected });
  });

  test.each([
    [["--", "npm", "test"], {}],
    [["--quiet", "--port", "0", "--", "npm", "test"], { quiet: true }],
    [["--seed=a", "--host", "::1", "--", "npm", "test"], { seed: "a", host: "::1" }],
  ])("of exec is read up to the command that it runs: %j", (argv, expected) => {
    const { printEnv, ...server } = usual;
    const program = { program: "npm", programArguments: ["test"] };
    expect(printEnv).toBe(false);
    expect(readArguments(["exec", ...argv])).toEqual({
      ...server,
      ...program,
      kind: "exec",
      port: 0,
      ...expected,
    });
  });

  test("of exec leaves alone what belongs to the command", () => {
    const argv = ["exec", "--", "npx", "--port", "--", "--help"];
    expect(readArguments(argv)).toMatchObject({
      program: "npx",
      programArguments: ["--port", "--", "--help"],
    });
  });

  test("of trigger is read", () => {
    const argv = ["tryon.completed", "--to", "http://localhost:3000/hook"];
    const least = {
      kind: "trigger",
      to: new URL("http://localhost:3000/hook"),
      status: "succeeded",
    };
    expect(readArguments(["trigger", ...argv])).toEqual(least);
    const more = ["--status=failed", "--job-id=job_1", "--error-message=no", "--secret=s"];
    expect(readArguments(["trigger", ...argv, ...more, "--timeout=5"])).toEqual({
      ...least,
      status: "failed",
      jobId: "job_1",
      errorMessage: "no",
      secret: "s",
      timeout: "5ms",
    });
  });

  test.each([
    [["--help"], "help"],
    [["help"], "help"],
    [["serve", "--version"], "version"],
    [["exec", "--version"], "version"],
    [["trigger", "--version"], "version"],
  ])("asks for help or the version: %j", (argv, kind) => {
    expect(readArguments(argv)).toEqual({ kind });
  });

  test.each([
    [["serve", "-h"], "serve"],
    [["--port", "0", "--help"], "serve"],
    [["help", "serve"], "serve"],
    [["exec", "--help"], "exec"],
    [["exec", "-h", "--", "ls"], "exec"],
    [["help", "exec"], "exec"],
    [["trigger", "--help"], "trigger"],
    [["help", "trigger"], "trigger"],
  ])("asks for help with one command: %j", (argv, verb) => {
    expect(readArguments(argv)).toEqual({ kind: "help", verb });
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
    [
      ["--profile", "odd"],
      '--profile has to be one of default, alternate, or a file such as ./profile.json; got "odd"',
    ],
    [["--engine", "magic"], '--engine has to be one of stock, composite; got "magic"'],
    [["--cors-origin", "shop.example"], '--cors-origin: "shop.example" is not an origin'],
    [["--seed", " "], "--seed is empty"],
    [["--host", ""], "--host is empty"],
    [["--colour"], "There is no option --colour. See tryon-mock help."],
    [["--latancy", "5"], "There is no option --latancy. Did you mean --latency?"],
    [["--prot=1"], "Did you mean --port?"],
    [["-p", "1"], "There is no option -p."],
    [["--quiet=yes"], "--quiet"],
    [["serve", "twice"], 'There is no command "twice"; there are serve, exec, trigger and help.'],
    [["triger"], "Did you mean trigger?"],
    [["help", "exce"], "Did you mean exec?"],
    [["--port", "0", "exec", "--", "ls"], "exec has to be the first word"],
    [["exec"], "such as tryon-mock exec -- npm test."],
    [["exec", "--"], "after --"],
    [["exec", "vitest", "run"], "such as tryon-mock exec -- vitest run."],
    [["exec", "--print-env", "--", "ls"], "There is no option --print-env"],
    [["trigger"], "there is tryon.completed"],
    [["trigger", "job.done", "--to", "http://a"], 'no event "job.done"; there is tryon.completed'],
    [["trigger", "tryon.completed"], "needs --to"],
    [["trigger", "tryon.completed", "twice", "--to", "http://a"], '"twice"'],
    [["trigger", "tryon.completed", "--to", "localhost:3000"], 'got "localhost:3000"'],
    [["trigger", "tryon.completed", "--to", "http://u:p@a"], "carries a user name or password"],
    [["trigger", "tryon.completed", "--to=http://a", "--job-id=1"], "--job-id has to be job_"],
    [["trigger", "tryon.completed", "--to=http://a", "--status=done"], "--status has to be one of"],
    [["trigger", "tryon.completed", "--to=http://a", "--secret="], "--secret is empty"],
    [["trigger", "tryon.completed", "--to=http://a", "--timeout=soon"], "--timeout has to be"],
    [["trigger", "tryon.completed", "--to=http://a", "--error-message=x"], "add --status failed"],
    [["trigger", "tryon.completed", "--too=http://a"], "Did you mean --to?"],
  ])("that cannot be understood is refused in one sentence: %j", (argv, sentence) => {
    expect(() => readArguments(argv)).toThrow(UsageError);
    expect(() => readArguments(argv)).toThrow(sentence);
    expect(() => readArguments(argv)).not.toThrow("\n");
  });
});
