import { styleText } from "node:util";

import { hasColors, printLine } from "@tryon/cli-kit";
import { printable } from "@tryon/shared/printable";
import type { Job } from "@tryon/client";
import ora from "ora";

import type { CliContext } from "./context.ts";

export function print({ stdout }: CliContext, text: string): void {
  stdout.write(`${printable(text)}\n`);
}

export function note({ stderr }: CliContext, text: string): void {
  printLine(stderr, printable(text));
}

export function printJson(context: CliContext, value: unknown): void {
  print(context, JSON.stringify(value));
}

export function printTable(
  context: CliContext,
  header: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number | undefined>>,
): void {
  const texts = rows.map((row) => row.map((cell) => printable(String(cell ?? "-"))));
  const columns = header.map((name, at) => ({
    width: Math.max(name.length, ...texts.map((row) => row[at]?.length ?? 0)),
    isNumeric: rows.length > 0 && rows.every((row) => typeof row[at] !== "string"),
  }));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => {
        const { width = 0, isNumeric = false } = columns[at] ?? {};
        return isNumeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  const title = line(header);
  const isColored = hasColors(context.stdout, context.environment);
  context.stdout.write(
    `${[isColored ? styleText("bold", title, { validateStream: false }) : title, ...texts.map(line)].join("\n")}\n`,
  );
}

/**
 * Shows a spinner with a text on a terminal, and nothing elsewhere.
 *
 * @param describe - Returns the text. Called five times a second.
 * @returns a function that removes the spinner.
 */
export function showProgress({ stderr, environment }: CliContext, describe: () => string) {
  if (stderr.isTTY !== true || environment["TERM"] === "dumb") return (): void => undefined;
  const spinner = ora({
    // A terminal is a stream of Node.
    stream: stderr as NodeJS.WriteStream,
    isEnabled: true,
    discardStdin: false,
    ...(!hasColors(stderr, environment) && { color: false as const }),
  });
  const update = (): void => {
    // A longer line would wrap.
    spinner.text = printable(describe()).slice(0, (stderr.columns || 80) - 3);
  };
  update();
  spinner.start();
  const timer = setInterval(update, 200);
  return (): void => {
    clearInterval(timer);
    spinner.stop();
  };
}

export function bar(done: number, total: number): string {
  const width = 12;
  const filled = Math.round(width * Math.min(1, total > 0 ? done / total : 1));
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}]`;
}

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)}s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}

export function formatCredits(credits: number | undefined): string {
  if (credits === undefined) return "unknown credits";
  return `${credits.toLocaleString("en-US")} credit${credits === 1 ? "" : "s"}`;
}

export function jobRow({ data }: Job): ReadonlyArray<string | number | undefined> {
  const { job_id, status, cost_credits, duration_ms, created_at } = data;
  const start = created_at?.replace("T", " ").slice(0, 19);
  const time =
    duration_ms === undefined || duration_ms === null ? "-" : formatDuration(duration_ms);
  return [job_id, status, cost_credits, time, start];
}

export const jobHeader = ["JOB", "STATUS", "CREDITS", "TIME", "CREATED (UTC)"] as const;
