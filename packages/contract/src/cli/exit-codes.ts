import type { ProblemKind } from "../target/problem.ts";

/** Exit codes of the command. */
export const exitCodes = {
  passed: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  tls: 4,
  "wrong-key": 5,
  "other-service": 6,
  internal: 70,
  interrupted: 130,
} as const satisfies Record<ProblemKind, number> & Record<string, number>;

/** Meanings of the exit codes. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.passed, "the deployment passes every check that this run could make"],
  [exitCodes.failed, "a check failed"],
  [exitCodes.usage, "the command line is wrong, or a live key came without --allow-live"],
  [exitCodes.unreachable, "the deployment cannot be reached"],
  [exitCodes.tls, "TLS failed"],
  [exitCodes["wrong-key"], "the key is rejected or missing"],
  [exitCodes["other-service"], "the URL belongs to another service"],
  [exitCodes.internal, "tryon-contract failed, or could not write a report"],
  [exitCodes.interrupted, "interrupted by Ctrl+C; the reports have the results so far"],
];
