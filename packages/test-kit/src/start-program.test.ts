import { expect, it, onTestFinished } from "vitest";

import { startProgram, type Program, type ProgramOptions } from "./start-program.ts";

function run(code: string, options: ProgramOptions = {}): Program {
  const program = startProgram(process.execPath, ["-e", code], options);
  onTestFinished(async () => void (await program.stop("SIGKILL")));
  return program;
}

it("waits for a complete line and stops the program", async () => {
  const program = run('process.stdout.write("port 4"); setInterval(() => console.log("2"), 10)');
  const [, port] = await program.waitFor(/^port (\d+)$/m);
  expect(port).toBe("42");
  expect(await program.stop()).toEqual({ code: null, signal: "SIGTERM" });
  expect(await program.stop()).toEqual({ code: null, signal: "SIGTERM" });
});

it("rejects with the output when the program ends before it prints the line", async () => {
  const program = run('console.error("No port."); process.exitCode = 3');
  await expect(program.waitFor(/listening/)).rejects.toThrow(
    /ended with 3 before it printed .*\nNo port\./,
  );
});

it("rejects when the program cannot start", async () => {
  const program = startProgram(`${import.meta.dirname}/missing`, []);
  await expect(program.ended).rejects.toThrow("ENOENT");
});

it("stops the whole group of a detached program", async () => {
  const child = 'setInterval(() => {}, 1000); console.log("started")';
  const parent = `
    require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });
    setInterval(() => {}, 1000);`;
  const program = run(parent, { detached: true });
  await program.waitFor(/^started$/m);
  // It ends only when no process holds the output open.
  expect(await program.stop()).toEqual({ code: null, signal: "SIGTERM" });
});
