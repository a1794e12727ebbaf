import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";

import { isTryOnError, type Job } from "@tryon/client";
import { batch, type BatchItem, type BatchProgress } from "@tryon/client/batch";
import { openJournal, type FileJournal } from "@tryon/client/node";
import { duration, text, UsageError, wholeNumber, type Command } from "@tryon/command-line";

import {
  checkImages,
  checkInputs,
  findFailuresPath,
  imagePath,
  journalPath,
  writeFailures,
} from "../batch-files.ts";
import { nextIds, openRow, readRows, type BatchRow } from "../batch-rows.ts";
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
import { describeError, toFailure } from "../failure.ts";
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
      .option("--timeout <duration>", "maximum time of one try-on, such as 5m", duration(86_400)),
  );

type BatchOptions = ReturnType<ReturnType<typeof addBatchOptions>["opts"]>;

const unrecorded = "The image was not saved, since the journal could not be written. Fix that.";
const notCharged = "Then run the same command again: the try-on is not charged again.";

const maxSaves = 8;

export async function runBatch(
  file: string,
  options: BatchOptions,
  context: CliContext,
): Promise<number> {
  const rows = await readRows(file);
  // Rejects missing files before anything is paid.
  for (const row of rows) await openRow(row);
  const { maxCredits, concurrency, timeout, json } = options;
  const out = resolve(options.out);
  await checkInputs(out, file, rows);
  const { tryon, isLive } = await connect(options, context, { keyInMetadata: true });
  await mkdir(out, { recursive: true }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(
      `the folder of --out cannot be created (${code}): ${out}. Use another path.`,
    );
  });
  const signal = context.onInterrupt();
  const journal = await openJournal(journalPath(out)).catch((error: Error) => {
    throw new UsageError(error.message);
  });
  const run = new BatchRun(rows.length, out, journal);
  let failure: unknown;
  try {
    await checkImages(out, rows, journal);
    if (isLive) {
      const sizes = rows.map(({ size }) =>
        size === undefined ? {} : { output_size: size as "1K" },
      );
      const price = await tryon.estimate(sizes, { signal }).catch((error: unknown) => {
        throw toFailure(error);
      });
      note(context, `Price: at most ${formatCredits(price)} for ${rows.length} try-ons`);
    }
    const end = showProgress(context, () => run.describe(tryon.rateLimit));
    try {
      const items = batch(tryon, rows, {
        id: ({ id }) => id,
        input: openRow,
        journal,
        signal,
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
    end();
  } finally {
    await journal.close();
    tryon.close();
  }
  if (json === true) for (const outcome of run.outcomes) printJson(context, outcome);
  else printSummary(run, context);
  const path = await findFailuresPath(out, file, rows);
  const failures = await writeFailures(path, run.outstanding(rows));
  if (failures !== undefined) note(context, `Rows without an image, as an input: ${failures}`);
  if (signal.aborted) {
    note(context, "Interrupted. Run the same command again: nothing is charged twice.");
    return interruptedCode;
  }
  if (failure !== undefined && !isTryOnError(failure, "batch_stopped")) throw toFailure(failure);
  if (failure instanceof Error) {
    const { cause } = failure;
    const reason = isTryOnError(cause) ? describeError(cause) : failure.message;
    note(context, `The batch stopped: ${reason} Then run the same command again.`);
  }
  return run.outcomes.length === rows.length && run.failed.size === 0 ? 0 : 1;
}

function printSummary(run: BatchRun, context: CliContext): void {
  const { outcomes, failed, size, credits } = run;
  const reused = outcomes.filter(({ from_journal }) => from_journal).length;
  printTable(
    context,
    ["TRY-ONS", "SUCCEEDED", "FAILED", "NOT RUN", "EARLIER", "CREDITS"],
    [[size, outcomes.length - failed.size, failed.size, size - outcomes.length, reused, credits]],
  );
  const reasons = new Map<string, number>();
  for (const { message } of failed.values()) reasons.set(message, (reasons.get(message) ?? 0) + 1);
  for (const [message, count] of [...reasons].slice(0, 10)) note(context, `${count} × ${message}`);
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

interface Outcome {
  readonly id: string;
  readonly status: "succeeded" | "failed";
  readonly job_id: string | undefined;
  readonly path: string | undefined;
  readonly cost_credits: number | undefined;
  readonly from_journal: boolean;
  readonly error: Failure | undefined;
}

class BatchRun {
  readonly outcomes: Outcome[] = [];
  readonly failed = new Map<string, Failure>();
  readonly size: number;
  readonly #out: string;
  readonly #journal: FileJournal;
  readonly #saves = new Set<Promise<void>>();
  #progress: BatchProgress | undefined;

  constructor(size: number, out: string, journal: FileJournal) {
    this.size = size;
    this.#out = out;
    this.#journal = journal;
  }

  get credits(): number {
    return this.#progress?.credits ?? 0;
  }

  readonly update = (progress: BatchProgress): void => {
    this.#progress = progress;
  };

  describe(limit: { readonly remaining: number; readonly limit: number } | undefined): string {
    const { done = 0, failed = 0, credits = 0, eta } = this.#progress ?? {};
    return [
      `${bar(done, this.size)} ${done}/${this.size}`,
      `${failed} failed`,
      formatCredits(credits),
      ...(eta === undefined ? [] : [`ETA ${formatDuration(eta)}`]),
      ...(limit === undefined ? [] : [`limit ${limit.remaining}/${limit.limit}`]),
    ].join("  ");
  }

  /** Adds an item. Waits while many images are being saved. */
  async add(item: BatchItem<BatchRow>): Promise<void> {
    const saving = this.#save(item).finally(() => this.#saves.delete(saving));
    this.#saves.add(saving);
    if (this.#saves.size >= maxSaves) await Promise.race(this.#saves);
  }

  async saved(): Promise<void> {
    await Promise.all(this.#saves);
  }

  async #save(item: BatchItem<BatchRow>): Promise<void> {
    const { id, result, fromJournal, job } = item;
    const path = imagePath(this.#out, item);
    let { error }: { error: Error | undefined } = item;
    if (result) {
      try {
        // The next run only keeps images of try-ons that the journal has as ended.
        const entry = await this.#journal.get(id);
        if (entry?.state !== "succeeded") throw new Error(`${unrecorded} ${notCharged}`);
        if (!(await isPresent(path))) await result.image.save(path);
        // An earlier run saves an image at once or not at all.
        else if (!fromJournal) throw new Error(`${path} exists already. Move it. ${notCharged}`);
      } catch (reason) {
        error = reason as Error;
      }
    }
    const failure = error && {
      code: isTryOnError(error) ? error.code : error.name,
      message: isTryOnError(error) ? describeError(error) : error.message,
    };
    if (failure) this.failed.set(id, failure);
    this.outcomes.push({
      id,
      status: failure ? "failed" : "succeeded",
      job_id: job?.id,
      path: failure ? undefined : path,
      cost_credits: costOf(job),
      from_journal: fromJournal,
      error: failure,
    });
  }

  outstanding(rows: readonly BatchRow[]): readonly object[] {
    const ended = new Set(this.outcomes.map(({ id }) => id));
    const retries = nextIds(rows);
    return rows.flatMap((row, at): readonly object[] => {
      const error = this.failed.get(row.id);
      if (error === undefined) return ended.has(row.id) ? [] : [row];
      // A job that failed stays failed, so its row gets a new id, which is another try-on with its own charge.
      const id = error.code === "job_failed" ? retries[at] : row.id;
      return [{ ...row, id, error }];
    });
  }
}

function costOf(job: Job | undefined): number | undefined {
  return job?.data.cost_credits ?? undefined;
}
