import type { ProblemKind } from "../target/problem.ts";

/** What the command's exit code says. */
export const exitCodes = {
  kept: 0,
  broken: 1,
  usage: 2,
  unreachable: 3,
  tls: 4,
  "wrong-key": 5,
  "other-service": 6,
  internal: 70,
  interrupted: 130,
} as const satisfies Record<ProblemKind, number> & Record<string, number>;

/** Each exit code with its meaning, for people. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.kept, "the contract is kept, as far as this run could see"],
  [exitCodes.broken, "something is broken"],
  [exitCodes.usage, "the command line is wrong, or a live key came without --allow-live"],
  [exitCodes.unreachable, "the deployment cannot be reached"],
  [exitCodes.tls, "TLS failed"],
  [exitCodes["wrong-key"], "the key is refused, or there is none"],
  [exitCodes["other-service"], "something answers there, but it is another service"],
  [exitCodes.internal, "the kit itself failed, or a report could not be written"],
  [exitCodes.interrupted, "ended with Ctrl+C; reports have what there was so far"],
];
