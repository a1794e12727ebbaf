import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { isTryOnError, type SavedJob, type TryOn } from "@tryon/client";
import { batch, type BatchItem, type BatchProgress, type JournalEntry } from "@tryon/client/batch";
import { defaultCodes, isRefusal } from "@tryon/client/batch/retry-failed";
import { openJournal, type FileJournal } from "@tryon/client/node";
import {
  duration,
  InvalidArgumentError,
  repeated,
  text,
  UsageError,
  wholeNumber,
  type Command,
} from "@tryon/cli-kit";

import {
  checkFolder,
  checkImages,
  checkInputs,
  checkResults,
  checkRows,
  findDamage,
  findFailuresPath,
  imagePath,
  journalPath,
  resultsPath,
  writeFailures,
  writeResults,
  type Outcome,
} from "../batch-files.ts";
import { assignIds, hasEnded, readIds, toKnown, writeIds, type KnownItem } from "../batch-ids.ts";
import { fieldNames, openRow, readRows, toInput, type BatchRow } from "../batch-rows.ts";
import { addConnection, connect } from "../connect.ts";
import { interruptedCode, type CliContext } from "../context.ts";
import {
  bar,
  formatCredits,
  formatDuration,
  note,
  printJson,
  printTable,
  showProgress,
} from "../display.ts";
import { describeError } from "../failure.ts";
import { isPresent } from "../images.ts";

export const addBatchOptions = (command: Command<[string]>) =>
  addConnection(
    command
      .optionsGroup("Batch:")
      .requiredOption("--out <folder>", "folder of the images, named after the ids", text)
      .option("--max-credits <number>", "maximum cost of all runs", wholeNumber(0, 999_999_999))
      .option(
        "--concurrency <number>",
        "maximum number in flight (default: adapts)",
        wholeNumber(1, 100),
      )
      .option("--timeout <duration>", "maximum time of one try-on, such as 5m", duration(86_400))
      .option(
        "--retry-failed <number>",
        "maximum jobs of a row whose jobs fail, each charged (default: 1)",
        wholeNumber(1, 10),
      )
      .option("--retry-code <reason>", "reason of failed jobs to retry; repeatable", retryCode)
      .option("--column <name=column>", "field that a column has; repeatable", mappedColumn)
      .option("--keep-columns", "keep other columns, in OUT.results.csv and --json"),
  );

/** Parses one `--column`. Returns the names of fields by their columns. */
function mappedColumn(value: string, previous?: ReadonlyMap<string, string>) {
  const [, name = "", column = ""] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
  const isTaken = [...(previous?.values() ?? [])].includes(name) || previous?.has(column);
  if (!fieldNames.includes(name) || isTaken) {
    throw new InvalidArgumentError(
      `It must be NAME=COLUMN, each once. NAME is one of ${fieldNames.slice(0, -1).join(", ")}.`,
    );
  }
  return new Map([...(previous ?? []), [column, name]]);
}

function retryCode(value: string, previous?: readonly string[]): readonly string[] {
  if (isRefusal(value)) {
    throw new InvalidArgumentError("Refused content is never retried: it can suspend the key.");
  }
  return repeated(value, previous);
}

type BatchOptions = ReturnType<ReturnType<typeof addBatchOptions>["opts"]>;

const unrecorded = "The image was not saved, since the journal could not be written. Fix that.";
const notCharged = "Then run the same command again: the try-on is not charged again.";

const maxSaves = 8;

export async function runBatch(
  file: string,
  options: BatchOptions,
  context: CliContext,
): Promise<number> {
  const { maxCredits, concurrency, timeout, json, keepColumns = false } = options;
  const { retryFailed: maxAttempts, retryCode: codes } = options;
  if (codes && maxAttempts === undefined)
    throw new UsageError("--retry-code needs --retry-failed.");
  const retryFailed = maxAttempts === undefined ? undefined : { maxAttempts, codes };
  const out = resolve(options.out);
  const given = await readRows(file, { ...options, note: (line) => note(context, line) });
  // Before the journal is opened, which can be the file of rows.
  await checkInputs(out, file, given);
  if (keepColumns) await checkResults(out, given);
  const { tryon, isLive } = await connect(options, context, { keyInMetadata: true });
  const signal = context.onInterrupt();
  let journal: FileJournal | undefined;
  let run: BatchRun;
  let failure: unknown;
  let end = showProgress(context, () => "Checking all rows");
  try {
    // Nothing is created before all rows are checked.
    if (await isPresent(journalPath(out))) journal = await openBatchJournal(out);
    const known = new Map<string, KnownItem>();
    for await (const entry of journal?.list() ?? []) {
      known.set(entry.id, toKnown(entry, retryFailed));
    }
    const ids = await readIds(out);
    const rows = await assignIds(given, file, out, known, ids, tryon, signal);
    if (given.some(({ id }) => id === undefined)) await checkInputs(out, file, rows);
    const unended = rows.filter(({ id }) => !hasEnded(known.get(id)));
    await checkRows(unended, file, tryon);
    await checkImages(out, rows, known);
    await mkdir(out, { recursive: true }).catch(({ code }: NodeJS.ErrnoException) => {
      throw new UsageError(
        `the folder of --out cannot be created (${code}): ${out}. Use another path.`,
      );
    });
    const warning = await checkFolder(out, unended);
    end();
    if (warning !== undefined) note(context, warning);
    journal ??= await openBatchJournal(out);
    await writeIds(out, ids);
    run = createRun(rows, out, journal);
    if (isLive) {
      const sizes = rows.map(({ size }) =>
        size === undefined ? {} : { output_size: size as "1K" },
      );
      const price = await tryon.estimate(sizes, { signal });
      const each = maxAttempts === undefined ? "" : ` of up to ${maxAttempts} jobs each`;
      const most = price * (maxAttempts ?? 1);
      note(context, `Price: at most ${formatCredits(most)} for ${rows.length} try-ons${each}`);
    }
    end = showProgress(context, () => run.describe(tryon.rateLimit));
    try {
      const rest: BatchRow[] = [];
      for (const row of rows) {
        const entry = hasEnded(known.get(row.id)) ? await journal.get(row.id) : undefined;
        // The batch compares the images with those of an ended job, but they may be deleted then.
        if (entry?.job && !(await hasImages(row, file)))
          await run.add(await itemOf(row, tryon, entry, entry.job));
        else rest.push(row);
      }
      const items = batch(tryon, rest, {
        id: ({ id }) => id,
        input: (row) => openRow(row, file),
        journal,
        signal,
        retryFailed,
        onProgress: run.update,
        ...(maxCredits !== undefined && { budget: { maxCredits } }),
        ...(concurrency !== undefined && { concurrency }),
        ...(timeout !== undefined && { timeout }),
      });
      for await (const item of items) await run.add(item);
    } catch (error) {
      failure = error;
    }
    await run.saved();
  } finally {
    end();
    await journal?.close();
  }
  const { rows } = run;
  const results = run.results();
  if (json === true) for (const result of results) printJson(context, result);
  else printSummary(run, context);
  if (keepColumns) {
    await writeResults(out, results);
    note(context, `Results: ${resultsPath(out)}`);
  }
  const path = await findFailuresPath(out, file, rows);
  const failures = await writeFailures(path, run.outstanding(dirname(path)));
  if (failures !== undefined) note(context, `Rows without an image, as an input: ${failures}`);
  if (signal.aborted) {
    note(context, "Interrupted. Run the same command again: nothing is charged twice.");
    return interruptedCode;
  }
  if (failure !== undefined && !isTryOnError(failure, "batch_stopped")) throw failure;
  if (failure instanceof Error) {
    const { cause } = failure;
    const reason = isTryOnError(cause) ? describeError(cause) : failure.message;
    note(context, `The batch stopped: ${reason} Then run the same command again.`);
  }
  return results.every(({ status }) => status === "succeeded") ? 0 : 1;
}

function openBatchJournal(out: string): Promise<FileJournal> {
  return openJournal(journalPath(out)).catch((error: Error) => {
    throw new UsageError(error.message);
  });
}

async function hasImages(row: BatchRow, file: string): Promise<boolean> {
  return openRow(row, file).then(
    () => true,
    () => false,
  );
}

/** Returns the item of a job that has ended according to the journal. */
async function itemOf(
  input: BatchRow,
  tryon: TryOn,
  { failedJobs = [] }: JournalEntry,
  saved: SavedJob,
): Promise<EndedRow> {
  const job = tryon.jobs.restore(saved);
  const attempts = failedJobs.length + 1;
  const common = { id: input.id, input, fromJournal: true, job, attempts };
  return job.result().then(
    (result) => ({ ...common, result, status: "succeeded", error: undefined }),
    (error: Error) => ({ ...common, result: undefined, status: "failed", error }),
  );
}

function printSummary(run: BatchRun, context: CliContext): void {
  const results = run.results();
  const count = (status: Outcome["status"]) =>
    results.filter((result) => result.status === status).length;
  const reused = results.filter(({ from_journal }) => from_journal).length;
  const counts = [count("succeeded"), count("failed"), count("not_run"), reused, run.credits()];
  printTable(
    context,
    ["TRY-ONS", "SUCCEEDED", "FAILED", "NOT RUN", "EARLIER", "CREDITS"],
    [[results.length, ...counts]],
  );
  const reasons = new Map<string, number>();
  for (const { status, error } of results) {
    if (status !== "failed" || !error) continue;
    const { reason, message } = error;
    const line = reason === undefined ? message : `failed: ${reason}. ${nextStepAfter(reason)}`;
    reasons.set(line, (reasons.get(line) ?? 0) + 1);
  }
  for (const [message, times] of [...reasons].slice(0, 10)) note(context, `${times} × ${message}`);
}

function nextStepAfter(reason: string): string {
  if (isRefusal(reason)) {
    return "Change the image or the prompt, and use a new id: repeated refusals can suspend the key.";
  }
  const code = defaultCodes.includes(reason) ? "" : ` with --retry-code ${JSON.stringify(reason)}`;
  return `Another try-on is a new job with its own charge: --retry-failed${code}.`;
}

type EndedRow = Pick<
  BatchItem<BatchRow>,
  "id" | "input" | "fromJournal" | "attempts" | "status" | "result" | "error" | "job"
>;

type BatchRun = ReturnType<typeof createRun>;

const notRun = { status: "not_run", attempts: 0, from_journal: false } as const;

function createRun(rows: readonly BatchRow[], out: string, journal: FileJournal) {
  const outcomes = new Map<string, Outcome>();
  const saves = new Set<Promise<void>>();
  let progress: Partial<BatchProgress> = {};

  const save = async (item: EndedRow): Promise<void> => {
    const { id, result, status, fromJournal, attempts, job } = item;
    const path = imagePath(out, item);
    let { error }: { error: Error | undefined } = item;
    if (result) {
      try {
        // The next run only keeps images of try-ons that the journal has as ended.
        const entry = await journal.get(id);
        if (entry?.state !== "succeeded") throw new Error(`${unrecorded} ${notCharged}`);
        if (!(await isPresent(path))) await result.image.save(path);
        else if (!fromJournal) throw new Error(`${path} exists already. Move it. ${notCharged}`);
        const damage = await findDamage(path, job?.data.result_bytes ?? undefined);
        if (damage !== undefined) throw new Error(`${path} ${damage}. Move it. ${notCharged}`);
      } catch (reason) {
        error = reason as Error;
      }
    }
    const failed = isTryOnError(error, "job_failed") ? error : undefined;
    const failure = error && {
      code: isTryOnError(error) ? error.code : error.name,
      ...(failed && { reason: failed.error_message || failed.error_code }),
      message: isTryOnError(error) ? describeError(error) : error.message,
    };
    const earlier = attempts > (job ? 1 : 0) ? (await journal.get(id))?.failedJobs : undefined;
    outcomes.set(id, {
      id,
      status: failure && status === "succeeded" ? "failed" : status,
      job_id: job?.id,
      path: failure ? undefined : path,
      cost_credits: costOf([...(earlier ?? []), ...(job ? [job] : [])]),
      attempts,
      from_journal: fromJournal,
      error: failure,
      columns: item.input.columns,
    });
  };

  /** Returns the outcomes of all rows, in their order. */
  const results = (): readonly Outcome[] =>
    rows.map(({ id, columns }) => outcomes.get(id) ?? { id, ...notRun, columns });

  return {
    rows,
    results,
    credits: (): number => progress.credits ?? 0,
    saved: () => Promise.all(saves),

    update: (next: BatchProgress): void => void (progress = next),

    describe(limit: { readonly remaining: number; readonly limit: number } | undefined): string {
      const { done = 0, failed = 0, credits = 0, eta } = progress;
      return [
        `${bar(done, rows.length)} ${done}/${rows.length}`,
        `${failed} failed`,
        formatCredits(credits),
        ...(eta === undefined ? [] : [`ETA ${formatDuration(eta)}`]),
        ...(limit === undefined ? [] : [`limit ${limit.remaining}/${limit.limit}`]),
      ].join("  ");
    },

    /** Adds an item. Waits while many images are being saved. */
    async add(item: EndedRow): Promise<void> {
      const saving = save(item).finally(() => saves.delete(saving));
      saves.add(saving);
      if (saves.size >= maxSaves) await Promise.race(saves);
    },

    /** Returns the rows without an image, for a file of another run in a folder. */
    outstanding(folder: string): readonly object[] {
      return results().flatMap(({ status, error }, at): readonly object[] => {
        const row = rows[at];
        return status === "succeeded" || !row ? [] : [{ ...toInput(row, folder), error }];
      });
    },
  };
}

function costOf(jobs: readonly Pick<SavedJob, "data">[]): number | undefined {
  const costs = jobs.flatMap(({ data }) => data?.cost_credits ?? []);
  return costs.length > 0 ? costs.reduce((sum, cost) => sum + cost) : undefined;
}
