import { openAsBlob } from "node:fs";
import { parseArgs } from "node:util";

import { isTryOnError, TryOn, type Job } from "@tryon/client";

const usage = `node src/try-on.ts [--out try-on.png] <person> <garment> [<garment>] [<garment>]
node src/try-on.ts [--out try-on.png] --resume <job>`;

const options = {
  out: { type: "string", default: "try-on.png" },
  resume: { type: "string" },
} as const;
const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL
const log = (line: string) => process.stderr.write(`${line}\n`);

async function openImage(image: string): Promise<string | Blob> {
  if (image.startsWith("https:")) return image;
  try {
    return await openAsBlob(image);
  } catch {
    throw new TypeError(`Cannot read ${image}.`);
  }
}

async function submit(person: string, garments: string[]): Promise<Job> {
  const input = {
    person: await openImage(person),
    garments: await Promise.all(garments.map(openImage)),
  };
  try {
    return await tryon.submit(input);
  } catch (error) {
    // The job may exist. `recover` retries under the same idempotency key, so a service that remembers it charges once.
    if (isTryOnError(error, "outcome_unknown", "server_error", "unavailable")) {
      const job = await error.recover?.();
      if (job) return job;
    }
    throw error;
  }
}

const stop = new AbortController();
// Stops waiting. A second Ctrl+C ends the program immediately.
process.once("SIGINT", () => stop.abort(new Error("Stopped.")));

let job: Job | undefined;
try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [person = "", ...garments] = positionals;
  if (values.resume) job = tryon.jobs.resume(values.resume);
  else if (garments.length > 0) job = await submit(person, garments);
  else throw new TypeError("Pass a person and at least one garment.");
  const { id } = job;
  const result = await job.result({
    signal: stop.signal,
    onUpdate: ({ phase }) => log(`${id} ${phase}`),
  });
  await result.image.save(values.out);
  process.stdout.write(`${values.out}: ${id} cost ${result.receipt.credits} credits\n`);
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = stop.signal.aborted ? 130 : error instanceof TypeError ? 2 : 1;
  if (error instanceof TypeError) log(usage);
  // Unless it failed, the job continues and can be resumed.
  else if (job && !isTryOnError(error, "job_failed")) log(`node src/try-on.ts --resume ${job.id}`);
}
