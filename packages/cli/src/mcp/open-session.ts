import { createHash, randomUUID } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { UsageError } from "@tryon/cli-kit";
import { decodeText } from "@tryon/shared/text-file";
import { isTryOnError, type Job } from "@tryon/client";
import { countCredits } from "@tryon/client/billing/count-credits";
import { takeLock } from "@tryon/client/node/journal/take-lock";
import * as z from "zod";

import { CommandError } from "../failure.ts";
import { readLines, StateFile } from "./state-file.ts";

const submissionSchema = z.object({
  /** Time before it was first sent, in milliseconds since 1970. */
  sentAt: z.number(),
  /** Price in credits, or the cost once the service has stated it. */
  credits: z.number().nonnegative(),
  /** `reserved` until the cost is known. A service may repeat the refusal of a `refused` one under its key. */
  state: z.enum(["reserved", "spent", "refused"]),
  jobId: z.string().optional(),
});
const purchaseSchema = z.object({
  /** Digest of the payment token, which the file does not contain. */
  token: z.string(),
  /** Price in US dollars. */
  usd: z.number().nonnegative(),
  /** `reserved` until the payment is final. After `already_processed`, its credits are not known. */
  state: z.enum(["reserved", "succeeded", "already_processed"]),
  creditsAdded: z.number().optional(),
  /** Payment of the service's response, whose outcome a repeat returns. */
  intent: z.string().optional(),
});
export type Purchase = z.infer<typeof purchaseSchema>;
const stateSchema = z.object({
  session: z.uuid(),
  /** Digest of the URL and the API key, to which idempotency keys and jobs belong. */
  owner: z.string(),
  submissions: z.record(z.string(), submissionSchema),
  purchases: z.record(z.string(), purchaseSchema).default({}),
});
/** Changed entries; null for one that was removed. */
const changeSchema = z.object({
  submissions: z.record(z.string(), submissionSchema.nullable()).default({}),
  purchases: z.record(z.string(), purchaseSchema.nullable()).default({}),
});

/** Limits of a session: Infinity credits for no limit, 0 US dollars for no purchase. */
interface Limits {
  readonly maxCredits: number;
  readonly maxUsd: number;
}

export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Opens the session of a file, or begins one. One process at a time can open a file. The lock of an ended process is
 * replaced.
 *
 * @param path - File of the state. Without one, the session ends with the process.
 * @param owner - Result of `ownerOf`. The file contains only its digest.
 * @param limits - Maximum numbers of credits and US dollars of the session.
 * @throws UsageError for a file that is in use, belongs to another key, or has other contents.
 */
export async function openSession(path: string | undefined, owner: string, limits: Limits) {
  const { maxCredits, maxUsd } = limits;
  const file = path === undefined ? undefined : await lock(path);
  const digestOf = (session: string): string => sha256(JSON.stringify([session, owner]));
  const id = randomUUID();
  let state = stateSchema.parse({ session: id, owner: digestOf(id), submissions: {} });
  let changes: readonly z.infer<typeof changeSchema>[] = [];
  try {
    if (file?.bytes) {
      const [whole, ...lines] = readLines(decodeText(file.bytes, "--state"));
      state = stateSchema.parse(whole);
      changes = lines.map((line) => changeSchema.parse(line));
    }
    if (state.owner !== digestOf(state.session)) throw new Error();
  } catch {
    await file?.release();
    throw new UsageError(
      "the file of --state is damaged, or belongs to another key or URL. Use another file.",
    );
  }
  const submissions = new Map(Object.entries(state.submissions));
  const purchases = new Map(Object.entries(state.purchases));
  for (const change of changes) {
    for (const [key, entry] of Object.entries(change.submissions)) put(submissions, key, entry);
    for (const [key, entry] of Object.entries(change.purchases)) put(purchases, key, entry);
  }
  let saved: Promise<void> = Promise.resolve();

  const sum = (of: "reserved" | "spent"): number =>
    [...submissions.values()].reduce((all, one) => all + (one.state === of ? one.credits : 0), 0);
  /** Returns the numbers of credits, where null means no limit, and of US dollars if packs may be bought. */
  const budget = () => {
    const [spent, reserved] = [sum("spent"), sum("reserved")];
    const left = maxCredits - spent - reserved;
    const usd = { max: maxUsd, spent: 0, reserved: 0, left: maxUsd };
    for (const one of purchases.values()) {
      usd[one.state === "reserved" ? "reserved" : "spent"] += one.usd;
      usd.left -= one.usd;
    }
    const packs = maxUsd > 0 && { usd };
    return { max_credits: limitOf(maxCredits), spent, reserved, left: limitOf(left), ...packs };
  };
  const whole = () => ({
    ...state,
    ...budget(),
    submissions: Object.fromEntries(submissions),
    purchases: Object.fromEntries(purchases),
  });
  const stateFile = file && new StateFile(file.real);
  const afterOthers = (write: (to: StateFile) => Promise<void>): Promise<void> => {
    if (stateFile) saved = saved.catch(() => undefined).then(() => write(stateFile));
    return saved;
  };
  /** Saves changed entries, one write at a time. A write has them as they are then. */
  const save = <Entry>(entries: Map<string, Entry>, ...keys: readonly string[]): Promise<void> => {
    const kind = Object.is(entries, submissions) ? "submissions" : "purchases";
    return afterOthers((to) => {
      const changed = Object.fromEntries(keys.map((key) => [key, entries.get(key) ?? null]));
      return to.save({ [kind]: changed }, whole);
    });
  };
  /** Adds an entry before its request is sent. It is saved, or there is none. */
  const add = async <Entry>(entries: Map<string, Entry>, key: string, entry: Entry) => {
    entries.set(key, entry);
    await save(entries, key).catch((error: unknown) => {
      entries.delete(key);
      const problem = `The file of --state cannot be written (${codeOf(error)}).`;
      throw new CommandError("state_not_saved", `${problem} Nothing was sent.`);
    });
  };

  return {
    id: state.session,
    budget,
    get: (key: string) => submissions.get(key),

    /**
     * Reserves the credits of a submission before it is sent.
     *
     * @throws CommandError `budget_exceeded`, or `state_not_saved` if the file cannot be written.
     */
    async reserve(key: string, credits: number, sentAt: number): Promise<void> {
      const { left, spent, reserved } = budget();
      if (left !== null && credits > left) {
        const problem = `The budget of ${maxCredits} credits does not hold another ${credits}: ${spent} are spent and ${reserved} reserved.`;
        const hint = "Nothing was sent. Only the user can raise --max-credits.";
        throw new CommandError("budget_exceeded", `${problem} ${hint}`);
      }
      // No `await` before this line: parallel calls must not exceed the limit.
      await add(submissions, key, { sentAt, credits, state: "reserved" });
    },

    purchase: (name: string) => purchases.get(name),
    /** Returns the name of the purchase with this digest of a token. */
    purchaseOf: (token: string) => [...purchases].find(([, one]) => one.token === token)?.[0],
    /** Returns true for a job that was submitted in this session. */
    hasJob: (job: string) => [...submissions.values()].some(({ jobId }) => jobId === job),

    /** Checks that a pack is within the maximum. @throws CommandError `budget_exceeded` */
    checkUsd(usd: number): void {
      const { left, spent, reserved } = { left: 0, spent: 0, reserved: 0, ...budget().usd };
      if (usd <= left) return;
      const problem = `The maximum of ${maxUsd} US dollars does not hold another ${usd}: ${spent} are spent and ${reserved} reserved.`;
      const hint = "Nothing was sent. Only the user can raise --max-usd.";
      throw new CommandError("budget_exceeded", `${problem} ${hint}`);
    },

    /**
     * Reserves the price of a pack before its purchase is sent.
     *
     * @throws CommandError `budget_exceeded` or `state_not_saved`.
     */
    async reservePurchase(name: string, token: string, usd: number): Promise<void> {
      this.checkUsd(usd);
      // No `await` before this line, as above.
      await add(purchases, name, { token, usd, state: "reserved" });
    },

    /** Records the end of a payment. Without an end, nothing was paid, and its price is released. */
    async settlePurchase(name: string, end?: Purchase): Promise<void> {
      if (end) purchases.set(name, end);
      else purchases.delete(name);
      // Without this write, a restart counts the price, and repeats the purchase with its token.
      await save(purchases, name).catch(() => undefined);
    },

    async release(key: string, isRefused: boolean): Promise<void> {
      submissions.delete(key);
      if (isRefused) submissions.set(key, { sentAt: 0, credits: 0, state: "refused" });
      await save(submissions, key).catch(() => undefined);
    },

    /** Records the job of a submission and its cost. A failed job stays charged. */
    async record({ id: jobId, data }: Job, isFree: boolean, key?: string): Promise<void> {
      const changed: string[] = [];
      for (const [name, { credits, sentAt, ...known }] of submissions) {
        if ((key ?? name) !== name || (known.jobId ?? (key && jobId)) !== jobId) continue;
        const counted = countCredits({ spent: 0, reserved: credits }, data, isFree);
        submissions.set(name, {
          sentAt,
          jobId,
          credits: counted.spent + counted.reserved,
          state: counted.reserved > 0 ? "reserved" : "spent",
        });
        changed.push(name);
      }
      // Without this write, a restart repeats the submission under its key.
      await save(submissions, ...changed).catch(() => undefined);
    },

    async close(): Promise<void> {
      // One line again, with the sums.
      const replace = afterOthers(async (to) => {
        if (to.hasChanges) await to.replace(whole());
      });
      await replace.catch(() => undefined);
      await file?.release();
    },
  };
}

function put<Entry>(entries: Map<string, Entry>, key: string, entry: Entry | null): void {
  if (entry === null) entries.delete(key);
  else entries.set(key, entry);
}

function limitOf(credits: number): number | null {
  return credits === Infinity ? null : credits;
}

/** Returns the URL and API key to which a session belongs. */
export function ownerOf({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): string {
  return JSON.stringify([new URL(baseUrl).href, apiKey]);
}

/** Takes the lock of a file and reads it. Every path to a file leads to one lock. */
async function lock(path: string) {
  try {
    const parent = await realpath(dirname(path));
    const real = await realpath(path).catch(() => join(parent, basename(path)));
    const release = await takeLock(real);
    const bytes = await readFile(real).catch(async (error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      await release();
      throw error;
    });
    return { real, release, bytes };
  } catch (error) {
    const problem = isTryOnError(error)
      ? error.message.replace(/^The journal/, "the file of --state")
      : `the file of --state cannot be opened (${codeOf(error)}). Create its folder first.`;
    throw new UsageError(problem);
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function codeOf(error: unknown): string {
  return String((Object(error) as { code?: unknown }).code);
}
