export { runContract } from "./contract.ts";
export type { ContractOptions } from "./contract.ts";
export { levels } from "./check.ts";
export type { Check, KeyKind, Level, OptionValue, Probe } from "./check.ts";
export type { CheckResult, Observation, Profile, Report } from "./report.ts";
export { TargetProblem } from "./target/problem.ts";
export type { ProblemKind } from "./target/problem.ts";
