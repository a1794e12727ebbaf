import { runContract } from "@tryon/contract";
import type { ProgramContext } from "./program-context.ts";

/** Holds the server to the contract, all that a test key shows. */
export async function run({ baseUrl }: ProgramContext): Promise<unknown> {
  const { checks } = await runContract({ baseUrl });
  const broken = checks.filter(({ status }) => status === "broken");
  return [checks.length > 150, broken.map(({ id }) => id)];
}
