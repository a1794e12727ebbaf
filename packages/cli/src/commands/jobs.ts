import { duration, Option, text, wholeNumber, type Command } from "@tryon/cli-kit";
import { isTryOnError, type Job, type JobStatus } from "@tryon/client";

import { addConnection, connect, type ConnectionOptions } from "../connect.ts";
import type { CliContext } from "../context.ts";
import {
  formatCredits,
  formatDuration,
  jobHeader,
  jobRow,
  note,
  print,
  printJson,
  printTable,
  showProgress,
} from "../display.ts";
import { toFailure } from "../failure.ts";
import { checkOutput } from "../images.ts";

export const addListOptions = (command: Command) =>
  addConnection(
    command
      .addOption(
        new Option("--status <status>", "status of the jobs").choices([
          "queued",
          "running",
          "succeeded",
          "failed",
        ] as const satisfies readonly JobStatus[]),
      )
      .option("--limit <number>", "maximum number of jobs", wholeNumber(1, 1_000_000), 20),
  );

export const addResultOptions = (command: Command<[string]>) =>
  addConnection(
    command
      .option("-o, --output <file>", "image file (default: the job id, as PNG)", text)
      .option("--timeout <duration>", "maximum time, such as 5m", duration(86_400)),
  );

type ListOptions = ReturnType<ReturnType<typeof addListOptions>["opts"]>;
type ResultOptions = ReturnType<ReturnType<typeof addResultOptions>["opts"]>;

export async function listJobs(options: ListOptions, context: CliContext): Promise<number> {
  const { tryon } = await connect(options, context);
  const { limit, status, json } = options;
  const jobs: Job[] = [];
  const list = tryon.jobs.list({ limit: Math.min(limit, 100), status_filter: status });
  for await (const job of list) {
    if (json === true) printJson(context, job.data);
    if (jobs.push(job) >= limit) break;
  }
  if (json !== true) printTable(context, jobHeader, jobs.map(jobRow));
  return 0;
}

export async function getJob(
  id: string,
  options: ConnectionOptions,
  context: CliContext,
): Promise<number> {
  const { tryon } = await connect(options, context);
  const job = await tryon.jobs.get(id);
  if (options.json === true) {
    printJson(context, job.data);
    return 0;
  }
  // Anyone who has the signed URL of the image can see it.
  const { result_url: url, ...data } = job.data;
  const rows = Object.entries(data).filter(([, value]) => (value ?? "") !== "");
  const values = rows.map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  printTable(context, ["FIELD", "VALUE"], values);
  if (url) note(context, `Save the image: tryon jobs download ${job.id}`);
  return 0;
}

export async function waitForJob(
  id: string,
  options: ResultOptions & { readonly download: boolean },
  context: CliContext,
): Promise<number> {
  const { output, timeout = 600_000, json, download } = options;
  const path = output ?? (download ? `${id}.png` : undefined);
  if (path !== undefined) await checkOutput("--output", path);
  const { tryon } = await connect(options, context);
  const signal = context.onInterrupt();
  const start = performance.now();
  let status = "waiting";
  const end = showProgress(
    context,
    () => `${id} ${status} ${formatDuration(performance.now() - start)}`,
  );
  try {
    const within = () => ({ signal, timeout: Math.max(1, timeout - (performance.now() - start)) });
    const { job, image } = await tryon.jobs.resume(id).result({
      ...within(),
      onUpdate: (update) => {
        if ("job" in update) ({ status } = update.job);
      },
    });
    if (path !== undefined) await image.save(path, within());
    end();
    if (json === true) printJson(context, { ...job.data, ...(path !== undefined && { path }) });
    else {
      note(context, `${id} ${job.status}: ${formatCredits(job.data.cost_credits)}`);
      if (path !== undefined) print(context, path);
    }
    return 0;
  } catch (error) {
    end();
    const next = `The job continues and is billed once: tryon jobs wait ${id}`;
    if (signal.aborted) note(context, `Interrupted. ${next}`);
    throw toFailure(error, isTryOnError(error, "wait_timed_out") ? next : undefined);
  }
}
