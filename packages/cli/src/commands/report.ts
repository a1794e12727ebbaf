import { open, rename, rm, stat } from "node:fs/promises";

import type { Job } from "@tryon/client";
import { openJournal, type FileJournal } from "@tryon/client/node";
import { InvalidArgumentError, text, UsageError, wholeNumber, type Command } from "@tryon/cli-kit";
import { printable } from "@tryon/shared/printable";
import { serviceTime } from "@tryon/shared/service-time";

import { csvCell } from "../batch-files.ts";
import { addConnection, connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { note, showProgress } from "../display.ts";
import { checkOutput } from "../images.ts";

export const addReportOptions = (command: Command) =>
  addConnection(
    command
      .requiredOption("--from <time>", "first day or time, in UTC without an offset", time)
      .option("--to <time>", "day or time after the last job (default: now)", time)
      .option("--by <field>", "groups jobs by metadata.NAME", metadataName)
      .option("--journal <file>", "journal of a batch, such as OUT.journal.ndjson", text)
      .option(
        "--opening-balance <credits>",
        "credits at --from, with those bought since",
        wholeNumber(0, Number.MAX_SAFE_INTEGER),
      )
      .option("-o, --out <file>", "file for the report (default: standard output)", text),
  );

type ReportOptions = ReturnType<ReturnType<typeof addReportOptions>["opts"]>;

function time(value: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  const parsed = serviceTime(isDay ? `${value}T00:00:00` : value);
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(parsed)) {
    throw new InvalidArgumentError("It must be such as 2026-11-01 or 2026-11-01T08:00:00Z.");
  }
  return parsed;
}

function metadataName(value: string): string {
  const [, name] = /^metadata\.(.+)$/s.exec(value) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It must be metadata.NAME.");
  return name;
}

const columns = [
  "kind",
  "group",
  "id",
  "jobs",
  "succeeded",
  "failed",
  "open",
  "credits",
  "note",
] as const;
type Row = Partial<Record<(typeof columns)[number], string | number | undefined>>;

/** Jobs of a group. `credits` are as stated by the service, also those of failed jobs. */
interface Sum {
  jobs: number;
  succeeded: number;
  failed: number;
  open: number;
  credits: number;
}

const createSum = (): Sum => ({ jobs: 0, succeeded: 0, failed: 0, open: 0, credits: 0 });

/** Jobs per page. Services have maximums of 50 and 100. */
const pageSize = 50;

export async function writeReport(options: ReportOptions, context: CliContext): Promise<number> {
  const { from, to = Infinity, out, journal: path } = options;
  if (to <= from) throw new UsageError("--to must be after --from.");
  if (out !== undefined) await checkOutput("--out", out);
  const journal = path === undefined ? undefined : await openExisting(path);
  const signal = context.onInterrupt();
  try {
    const { tryon } = await connect(options, context);
    const output = await openOutput(options, context);
    const report = new Report(options, output, journal);
    const end = showProgress(context, () => `${report.total.jobs} jobs`);
    let isComplete = false;
    try {
      await report.readJournal();
      // Before the list, so that a job of the meantime does not look like a refund.
      const { credits_remaining: balance } = await tryon.account.get({ signal });
      for await (const job of tryon.jobs.list({ limit: pageSize, signal })) {
        if (serviceTime(job.data.created_at) < from) break;
        await report.add(job);
      }
      await report.addMissing();
      await report.addSums(balance);
      if (!report.hasKnownRefunds(balance)) {
        const list = tryon.jobs.list({ limit: pageSize, signal, status_filter: "failed" });
        for await (const job of list) {
          if (serviceTime(job.data.created_at) < from) break;
          await report.addFailed(job);
        }
      }
      isComplete = true;
    } finally {
      end();
      await output.close(isComplete);
    }
  } finally {
    await journal?.close();
  }
  if (out !== undefined) note(context, `Report: ${out}`);
  return 0;
}

/** Opens a journal that exists: another one would be created, and explain nothing. */
async function openExisting(path: string): Promise<FileJournal> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new UsageError(`--journal does not exist: ${path}.`);
  return openJournal(path).catch((error: Error) => {
    throw new UsageError(error.message);
  });
}

class Report {
  readonly total = createSum();
  readonly #options: ReportOptions;
  readonly #output: ReportOutput;
  readonly #journal: FileJournal | undefined;
  readonly #groups = new Map<string, Sum>();
  /** Jobs of the journal that the list has not shown, by id, or by idempotency key without one. */
  readonly #missing = new Set<string>();
  /** Credits of all jobs since `from`, of the failed ones, and of those with blocked content. */
  readonly #charged = { all: 0, failed: 0, blocked: 0 };
  /** If true, a charge is unknown, and the balance proves nothing. */
  #isUncertain = false;

  constructor(options: ReportOptions, output: ReportOutput, journal: FileJournal | undefined) {
    this.#options = options;
    this.#output = output;
    this.#journal = journal;
  }

  async readJournal(): Promise<void> {
    for await (const { state, job, idempotencyKey } of this.#journal?.list() ?? []) {
      if (state !== "refused") this.#missing.add(job?.id ?? idempotencyKey);
    }
  }

  async add(job: Job): Promise<void> {
    const { id, data, status } = job;
    const { to = Infinity, by } = this.#options;
    const credits = creditsOf(job);
    this.#charged.all += credits ?? 0;
    if (status === "failed") this.#charged.failed += credits ?? 0;
    if (isBlocked(job)) this.#charged.blocked += credits ?? 0;
    const isKnown = this.#missing.delete(id) || this.#missing.delete(job.idempotencyKey ?? "");
    const createdAt = serviceTime(data.created_at);
    if (createdAt >= to) return;
    const value = by === undefined ? undefined : data.metadata?.[by];
    const group = typeof value === "object" && value ? JSON.stringify(value) : String(value ?? "");
    const sums = [this.total];
    if (by !== undefined) {
      const sum = this.#groups.get(group) ?? createSum();
      this.#groups.set(group, sum);
      sums.push(sum);
    }
    for (const sum of sums) {
      sum.jobs += 1;
      if (status === "succeeded") sum.succeeded += 1;
      else if (status === "failed") sum.failed += 1;
      else sum.open += 1;
      sum.credits += credits ?? 0;
    }
    const unexplained = (reason: string) =>
      this.#output.write({ kind: "unexplained", group, id, credits, note: reason });
    if (Number.isNaN(createdAt)) await unexplained("job without a time");
    if (credits === undefined) {
      this.#isUncertain = true;
      await unexplained("job without a cost");
    } else if (this.#journal && !isKnown && credits > 0) {
      await unexplained("job is not in the journal");
    }
  }

  /** Writes the entries of the journal whose job is not in the list. */
  async addMissing(): Promise<void> {
    const { from, to = Infinity } = this.#options;
    for await (const { id, job, idempotencyKey, sentAt } of this.#journal?.list() ?? []) {
      if (!this.#missing.has(job?.id ?? idempotencyKey)) continue;
      const createdAt = serviceTime(job?.data?.created_at) || sentAt;
      if (createdAt < from || createdAt >= to) continue;
      this.#isUncertain = true;
      const reason = job
        ? `item ${id} of the journal is not in the list`
        : `item ${id} of the journal has an unknown outcome`;
      const credits = job?.data?.cost_credits;
      await this.#output.write({ kind: "unexplained", id: job?.id, credits, note: reason });
    }
  }

  async addSums(balance: number): Promise<void> {
    for (const [group, sum] of this.#groups) {
      await this.#output.write({ kind: "group", group, ...sum });
    }
    await this.#output.write({ kind: "total", ...this.total });
    await this.#output.write({ kind: "balance", credits: balance });
    const spent = this.#unexplained(balance);
    if (spent > 0) {
      const reason = "spent since --from, and by no job";
      await this.#output.write({ kind: "unexplained", credits: spent, note: reason });
    }
  }

  /** Returns the credits that no job explains, negative if more is left than expected, or NaN. */
  #unexplained(balance: number): number {
    return (this.#options.openingBalance ?? Number.NaN) - this.#charged.all - balance;
  }

  /** Returns true if the balance fits one policy of refunds: none, all failed jobs, or all but blocked content. */
  hasKnownRefunds(balance: number): boolean {
    const { failed, blocked } = this.#charged;
    if (failed === 0) return true;
    return (
      !this.#isUncertain && [0, failed, failed - blocked].includes(-this.#unexplained(balance))
    );
  }

  async addFailed(job: Job): Promise<void> {
    const { to = Infinity } = this.#options;
    const { id, data } = job;
    const credits = creditsOf(job);
    if (credits === 0 || serviceTime(data.created_at) >= to) return;
    await this.#output.write({
      kind: "refund_unknown",
      id,
      credits,
      note: data.error_message ?? "",
    });
  }
}

function isBlocked({ status, data }: Job): boolean {
  return status === "failed" && data.error_message === "content_blocked";
}

/** Returns the stated cost of a job, or undefined. A test key pays nothing. */
function creditsOf({ data }: Job): number | undefined {
  const { cost_credits: cost, test_mode: isTest } = data;
  if (isTest === true) return 0;
  return Number.isSafeInteger(cost) && Number(cost) >= 0 ? cost : undefined;
}

type ReportOutput = Awaited<ReturnType<typeof openOutput>>;

/** Opens CSV or JSON lines on standard output, or in a file that appears when it is complete. */
async function openOutput({ out, json: isJson }: ReportOptions, context: CliContext) {
  const draft = `${out}.${process.pid}.tmp`;
  const file = out === undefined ? undefined : await open(draft, "wx", 0o600);
  const writeLine = async (line: string): Promise<void> => {
    const shown = `${printable(line)}\n`;
    if (file) await file.appendFile(shown);
    else context.stdout.write(shown);
  };
  if (isJson !== true) await writeLine(columns.join(","));
  return {
    write: (row: Row): Promise<void> =>
      writeLine(isJson ? JSON.stringify(row) : columns.map((name) => cell(row[name])).join(",")),
    /** Closes the output. Without `isComplete`, nothing is left of a file. */
    async close(isComplete: boolean): Promise<void> {
      if (!file || out === undefined) return;
      try {
        if (isComplete) await file.sync();
        await file.close();
        if (isComplete) await rename(draft, out);
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

/** Returns a cell of CSV. Spreadsheets would run a text of metadata that begins like a formula. */
function cell(value: string | number | undefined): string {
  const given = String(value ?? "");
  const shown = typeof value === "string" && /^[=+\-@\t\r]/.test(given) ? `'${given}` : given;
  return csvCell(shown);
}
