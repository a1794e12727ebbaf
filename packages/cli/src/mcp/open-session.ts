import { createHash, randomUUID } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { UsageError } from "@tryon/command-line";
import { writePrivateFile } from "@tryon/command-line/private-file";
import { decodeText } from "@tryon/command-line/text-file";
import { isTryOnError, type Job } from "@tryon/client";
import { countCredits } from "@tryon/client/billing/count-credits";
import { takeLock } from "@tryon/client/node/journal/take-lock";
import { z } from "zod";

import { CommandError } from "../failure.ts";

const submissionSchema = z.object({
  /** Time before it was first sent, in milliseconds since 1970. */
  sentAt: z.number(),
  /** Price in credits, or the cost once the service has stated it. */
  credits: z.number().nonnegative(),
  /** `reserved` until the cost is known. A service may repeat the refusal of a `refused` one under its key. */
  state: z.enum(["reserved", "spent", "refused"]),
  jobId: z.string().optional(),
});
const stateSchema = z.object({
  session: z.uuid(),
  /** Digest of the URL and the API key, to which idempotency keys and jobs belong. */
  owner: z.string(),
  submissions: z.record(z.string(), submissionSchema),
});

export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Opens the session of a file, or begins one. One process at a time can open a file. The lock of an ended process is
 * replaced.
 *
 * @param path - File of the state. Without one, the session ends with the process.
 * @param owner - URL and API key. The file contains only their digest.
 * @param maxCredits - Maximum number of credits of the session.
 * @throws UsageError for a file that is in use, belongs to another key, or has other contents.
 */
export async function openSession(path: string | undefined, owner: string, maxCredits: number) {
  const file = path === undefined ? undefined : await lock(path);
  const ownerOf = (session: string): string => sha256(JSON.stringify([session, owner]));
  const id = randomUUID();
  let state: z.infer<typeof stateSchema> = { session: id, owner: ownerOf(id), submissions: {} };
  try {
    if (file?.bytes) state = stateSchema.parse(JSON.parse(decodeText(file.bytes, "--state")));
    if (state.owner !== ownerOf(state.session)) throw new Error();
  } catch {
    await file?.release();
    throw new UsageError(
      "the file of --state is damaged, or belongs to another key or URL. Use another file.",
    );
  }
  const submissions = new Map(Object.entries(state.submissions));
  let saved: Promise<void> = Promise.resolve();

  const sum = (of: "reserved" | "spent"): number =>
    [...submissions.values()].reduce((all, one) => all + (one.state === of ? one.credits : 0), 0);
  /** Returns the numbers of credits. In JSON, null means no limit. */
  const budget = () => {
    const [spent, reserved] = [sum("spent"), sum("reserved")];
    return { max_credits: maxCredits, spent, reserved, left: maxCredits - spent - reserved };
  };
  /** Writes the file atomically, one write at a time. */
  const save = (): Promise<void> => {
    const write = async ({ real }: NonNullable<typeof file>): Promise<void> => {
      const current = { ...state, ...budget(), submissions: Object.fromEntries(submissions) };
      await writePrivateFile(real, JSON.stringify(current));
    };
    if (file) saved = saved.catch(() => undefined).then(() => write(file));
    return saved;
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
      if (credits > left) {
        const problem = `The budget of ${maxCredits} credits does not hold another ${credits}: ${spent} are spent and ${reserved} reserved.`;
        const hint = "Nothing was sent. Only the user can raise --max-credits.";
        throw new CommandError("budget_exceeded", `${problem} ${hint}`);
      }
      // No `await` before this line: parallel calls must not exceed the limit.
      submissions.set(key, { sentAt, credits, state: "reserved" });
      await save().catch((error: unknown) => {
        submissions.delete(key);
        const problem = `The file of --state cannot be written (${codeOf(error)}).`;
        throw new CommandError("state_not_saved", `${problem} Nothing was sent.`);
      });
    },

    async release(key: string, isRefused: boolean): Promise<void> {
      submissions.delete(key);
      if (isRefused) submissions.set(key, { sentAt: 0, credits: 0, state: "refused" });
      await save().catch(() => undefined);
    },

    /** Records the job of a submission and its cost. A failed job stays charged. */
    async record({ id: jobId, data }: Job, isFree: boolean, key?: string): Promise<void> {
      for (const [name, { credits, sentAt, ...known }] of submissions) {
        if ((key ?? name) !== name || (known.jobId ?? (key && jobId)) !== jobId) continue;
        const counted = countCredits({ spent: 0, reserved: credits }, data, isFree);
        submissions.set(name, {
          sentAt,
          jobId,
          credits: counted.spent + counted.reserved,
          state: counted.reserved > 0 ? "reserved" : "spent",
        });
      }
      // Without this write, a restart repeats the submission under its key.
      await save().catch(() => undefined);
    },

    async close(): Promise<void> {
      await saved.catch(() => undefined);
      await file?.release();
    },
  };
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
