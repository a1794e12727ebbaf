import { text, UsageError, type Command, type Start } from "@tryon/cli-kit";

import { Observer, type TrafficObservation } from "../observe/observer.ts";
import { readSessions } from "../observe/session-file.ts";
import { observationText } from "../observe/text.ts";
import { exitCodes } from "./exit-codes.ts";
import { rejectUnwritable, write } from "./run-command.ts";

const addOptions = (program: Command) =>
  program
    .argument("<session...>", "session files of tryon-contract record or import")
    .option("--output <file>", "write { profile, latency }, for tryon-mock --config <file>", text)
    .option("--json", "print JSON");

type ObserveOptions = ReturnType<ReturnType<typeof addOptions>["opts"]>;

export function defineObserve(command: Command, start: Start): void {
  addOptions(command)
    .description("Says what recorded traffic shows, without a request.")
    .action((files, given) => start(() => observeFiles(files, given)));
}

async function observeFiles(files: readonly string[], options: ObserveOptions): Promise<number> {
  const { output } = options;
  await rejectUnwritable(output === undefined ? [] : [output]);
  const observer = new Observer();
  for await (const { exchange, place } of readSessions(files)) observer.add(exchange, place);
  const observation = observer.end();
  if (observation.exchanges === 0) throw new UsageError("the session has no exchange.");
  if (output !== undefined) await write(output, json(configOf(observation)));
  process.stdout.write(options.json === true ? json(observation) : observationText(observation));
  const isContradicting = observation.options.some((one) => one.contradictions.length > 0);
  return observation.breaks.length > 0 || isContradicting ? exitCodes.failed : exitCodes.passed;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

export function configOf({ options, latency }: TrafficObservation) {
  // If several values are possible, each of them answers this traffic alike.
  const known = options.flatMap(({ option, possible: [value] = [], contradictions }) =>
    value === undefined || contradictions.length > 0 ? [] : [[option, value] as const],
  );
  const names = new Set<string>(known.map(([option]) => option));
  const unknown = options.map(({ option }) => option).filter((option) => !names.has(option));
  const sizes = Object.entries(latency).map(([size, { p50, p90 }]) => {
    // A median of 0 has no distribution.
    const median = Math.max(1, p50);
    return [size, { p50: median, p90: Math.max(median, p90) }] as const;
  });
  return {
    profile: { options: Object.fromEntries(known), unknown },
    ...(sizes.length > 0 && { latency: Object.fromEntries(sizes) }),
  };
}
