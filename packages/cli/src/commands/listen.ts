import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { isTryOnError, type Job, type TryOn } from "@tryon/client";
import { duration, text, webhookSecret, type Command } from "@tryon/cli-kit";
import { serviceTime } from "@tryon/shared/service-time";

import { addConnection, connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { deliver, receiverUrl } from "../deliver.ts";
import { note, print, printJson } from "../display.ts";
import { describeError } from "../failure.ts";

export const addListenOptions = (command: Command) =>
  addConnection(
    command
      .requiredOption("--forward-to <url>", "receiver, such as localhost:3000/hook", receiverUrl)
      .option("--job <id>", "deliver the event of this job only, and end", text)
      .option("--secret-file <file>", "file with the secret (default: TRYON_WEBHOOK_SECRET)", text)
      .option("--interval <duration>", "time between polls (default: 2s)", duration(3_600)),
  );

type ListenOptions = ReturnType<ReturnType<typeof addListenOptions>["opts"]>;

/** Time in which a list may miss a new job, in milliseconds. Jobs are checked again for so long. */
const overlap = 60_000;

export async function listen(options: ListenOptions, context: CliContext): Promise<number> {
  const { forwardTo: url, job: id, secretFile, interval = 2_000, json } = options;
  const { tryon, environment } = await connect(options, context);
  const given = webhookSecret(environment, secretFile);
  const secret = given ?? `whsec_${randomBytes(24).toString("base64url")}`;
  const signal = context.onInterrupt();
  const forward = async (job: Job): Promise<boolean> => {
    const { ok, outcome, attempts } = await deliver(eventOf(job), { url, secret }, true, signal);
    if (json === true)
      printJson(context, { job_id: job.id, status: job.status, ok, outcome, attempts });
    else {
      const count = attempts === 1 ? "" : `, ${attempts} attempts`;
      print(context, `${job.id} ${job.status}: ${outcome}${count}${ok ? "" : ", given up"}`);
    }
    return ok;
  };
  if (given === undefined) {
    note(context, `Webhook secret for the receiver while this runs: ${secret}`);
  }
  if (id !== undefined) return (await forward(await endOf(tryon, id, signal))) ? 0 : 1;
  const poll = await watchJobs(tryon);
  note(context, `Listening for jobs that end. Events go to ${url.href}. Stop with Ctrl+C.`);
  const deliveries = new Set<Promise<unknown>>();
  for (;;) {
    await sleep(interval, undefined, { signal });
    const jobs = await poll().catch((error: unknown) => {
      if (!isTryOnError(error) || (error.status ?? 500) < 500) throw error;
      note(context, describeError(error));
      return [];
    });
    for (const job of jobs) {
      const delivery = forward(job)
        .catch(() => undefined)
        .finally(() => deliveries.delete(delivery));
      deliveries.add(delivery);
    }
  }
}

async function endOf(tryon: TryOn, id: string, signal: AbortSignal): Promise<Job> {
  const job = tryon.jobs.resume(id);
  const updates = job.updates({ timeout: "24h", signal });
  while (!(await updates.next()).done);
  return job;
}

function eventOf({ id, data }: Job) {
  return {
    event: "tryon.completed" as const,
    job_id: id,
    // Only a job that has ended gets here.
    status: data.status as "succeeded" | "failed",
    result_url: data.result_url ?? null,
    error_code: data.error_code ?? null,
    error_message: data.error_message ?? null,
    duration_ms: data.duration_ms ?? null,
    completed_at: data.completed_at ?? null,
  };
}

/** Reads the newest 100 jobs, and returns a function that reads those which have ended since. */
async function watchJobs(tryon: TryOn): Promise<() => Promise<readonly Job[]>> {
  const ended = new Set<string>();
  const open = new Set<string>();
  const { jobs } = await tryon.jobs.list({ limit: 100 }).page();
  const since = Math.max(-Infinity, ...jobs.map(createdAt)) - overlap;
  for (const job of jobs) (hasEnded(job) ? ended : open).add(job.id);
  return async () => {
    const found: Job[] = [];
    const listed = new Set<string>();
    for await (const job of tryon.jobs.list({ limit: 100 })) {
      if (createdAt(job) < since) break;
      listed.add(job.id);
      if (ended.has(job.id)) continue;
      if (hasEnded(job)) found.push(job);
      else open.add(job.id);
    }
    for (const id of open) {
      if (listed.has(id)) continue;
      const job = await tryon.jobs.get(id);
      if (hasEnded(job)) found.push(job);
    }
    for (const { id } of found) {
      open.delete(id);
      ended.add(id);
    }
    return found;
  };
}

function hasEnded({ status }: Job): boolean {
  return status === "succeeded" || status === "failed";
}

function createdAt({ data }: Job): number {
  return serviceTime(data.created_at) || 0;
}
