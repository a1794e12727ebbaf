import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import { node } from "@tryon/test-kit/repository";

import { onTestFinished } from "vitest";

import type { LedgerEntry } from "../src/store/records.ts";

const program = fileURLToPath(new URL("load-server.ts", import.meta.url));

/** What the program in load-server.ts can be asked. */
export interface LoadQuestion {
  readonly id: number;
  readonly about: "url" | "key" | "ledger" | "reset" | "connections" | "memory";
  readonly token: string;
}

/** A served reference server in a process of its own, with a heap of its own; the test's end ends it. */
export function loadProcess() {
  const child = fork(program, {
    execPath: node,
    // Node throws the code of what is no longer called away, such as that which has read the TypeScript. It would do so
    // between two measurements, and the memory that this frees would cover up a leak.
    execArgv: ["--conditions=@tryon/source", "--expose-gc", "--no-flush-bytecode"],
    env: { PATH: process.env["PATH"] },
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let asked = 0;
  const ask = (about: LoadQuestion["about"], token = ""): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = (asked += 1);
      const hear = (answer: unknown): void => {
        // The program answers every question with its number and a value.
        const { id: to, value } = answer as { id: number; value: unknown };
        if (to !== id) return;
        child.off("message", hear);
        resolve(value);
      };
      child.on("message", hear);
      void ended.then(() => reject(new Error("The server has ended.")));
      child.send({ id, about, token } satisfies LoadQuestion);
    });
  return {
    url: async () => String(await ask("url")),
    /** Makes a key with credits and calls for as many requests as come. */
    key: (token: string) => ask("key", token),
    ledger: async (token: string) =>
      // The answer is that of mock.ledger, which has been through JSON.
      (await ask("ledger", token)) as { entries: readonly LedgerEntry[]; balance: number },
    reset: () => ask("reset"),
    connections: () => ask("connections"),
    /** How many bytes are in use once the garbage has been collected. */
    memory: async () => Number(await ask("memory")),
  };
}
