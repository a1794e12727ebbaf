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
    const report = createReport(options, output, journal);
    const jobsSince = async function* (filter: { status_filter?: "failed" }) {
      for await (const job of tryon.jobs.list({ limit: pageSize, signal, ...filter })) {
        if (serviceTime(job.data.created_at) < from) return;
        yield job;
      }
    };
    const end = showProgress(context, () => `${report.total.jobs} jobs`);
    let isComplete = false;
    try {
      await report.readJournal();
      // Before the list, so that a job of the meantime does not look like a refund.
      const { credits_remaining: balance } = await tryon.account.get({ signal });
      for await (const job of jobsSince({})) await report.add(job);
      await report.addMissing();
      await report.addSums(balance);
      if (!report.hasKnownRefunds(balance)) {
        for await (const job of jobsSince({ status_filter: "failed" })) await report.addFailed(job);
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

function createReport(
  { from, to = Infinity, by, openingBalance = Number.NaN }: ReportOptions,
  { write }: ReportOutput,
  journal: FileJournal | undefined,
) {
  const total = createSum();
  const groups = new Map<string, Sum>();
  /** Jobs of the journal that the list has not shown, by id, or by idempotency key without one. */
  const missing = new Set<string>();
  /** Credits of all jobs since `from`, of the failed ones, and of those with blocked content. */
  const charged = { all: 0, failed: 0, blocked: 0 };
  /** If true, a charge is unknown, and the balance proves nothing. */
  let isUncertain = false;
  const entries = () => journal?.list() ?? [];
  /** Returns the credits that no job explains, negative if more is left than expected, or NaN. */
  const unexplained = (balance: number): number => openingBalance - charged.all - balance;

  return {
    total,

    async readJournal(): Promise<void> {
      for await (const { state, job, idempotencyKey } of entries()) {
        if (state !== "refused") missing.add(job?.id ?? idempotencyKey);
      }
    },

    async add(job: Job): Promise<void> {
      const { id, data, status } = job;
      const credits = creditsOf(job);
      charged.all += credits ?? 0;
      if (status === "failed") charged.failed += credits ?? 0;
      if (isBlocked(job)) charged.blocked += credits ?? 0;
      const isKnown = missing.delete(id) || missing.delete(job.idempotencyKey ?? "");
      const createdAt = serviceTime(data.created_at);
      if (createdAt >= to) return;
      const value = by === undefined ? undefined : data.metadata?.[by];
      const group =
        typeof value === "object" && value ? JSON.stringify(value) : String(value ?? "");
      const sums = [total];
      if (by !== undefined) {
        const sum = groups.get(group) ?? createSum();
        groups.set(group, sum);
        sums.push(sum);
      }
      for (const sum of sums) {
        sum.jobs += 1;
        if (status === "succeeded") sum.succeeded += 1;
        else if (status === "failed") sum.failed += 1;
        else sum.open += 1;
        sum.credits += credits ?? 0;
      }
      const explain = (reason: string) =>
        write({ kind: "unexplained", group, id, credits, note: reason });
      if (Number.isNaN(createdAt)) await explain("job without a time");
      if (credits === undefined) {
        isUncertain = true;
        await explain("job without a cost");
      } else if (journal && !isKnown && credits > 0) {
        await explain("job is not in the journal");
      }
    },

    /** Writes the entries of the journal whose job is not in the list. */
    async addMissing(): Promise<void> {
      for await (const { id, job, idempotencyKey, sentAt } of entries()) {
        if (!missing.has(job?.id ?? idempotencyKey)) continue;
        const createdAt = serviceTime(job?.data?.created_at) || sentAt;
        if (createdAt < from || createdAt >= to) continue;
        isUncertain = true;
        const problem = job ? "is not in the list" : "has an unknown outcome";
        const credits = job?.data?.cost_credits;
        const reason = `item ${id} of the journal ${problem}`;
        await write({ kind: "unexplained", id: job?.id, credits, note: reason });
      }
    },

    async addSums(balance: number): Promise<void> {
      for (const [group, sum] of groups) await write({ kind: "group", group, ...sum });
      await write({ kind: "total", ...total });
      await write({ kind: "balance", credits: balance });
      const credits = unexplained(balance);
      const reason = "spent since --from, and by no job";
      if (credits > 0) await write({ kind: "unexplained", credits, note: reason });
    },

    /** Returns true if the balance fits one policy of refunds: none, all failed jobs, or all but blocked content. */
    hasKnownRefunds(balance: number): boolean {
      const { failed, blocked } = charged;
      if (failed === 0) return true;
      return !isUncertain && [0, failed, failed - blocked].includes(-unexplained(balance));
    },

    async addFailed(job: Job): Promise<void> {
      const { id, data } = job;
      const credits = creditsOf(job);
      if (credits === 0 || serviceTime(data.created_at) >= to) return;
      await write({ kind: "refund_unknown", id, credits, note: data.error_message ?? "" });
    },
  };
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
