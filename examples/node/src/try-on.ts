import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { isTryOnError, TryOn, type Job } from "@tryon/client";

const usage = `node src/try-on.ts [--out try-on.png] <person> <garment> [<garment>] [<garment>]
node src/try-on.ts [--out try-on.png] --resume <job>`;

const options = {
  out: { type: "string", default: "try-on.png" },
  resume: { type: "string" },
} as const;
const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL
const say = (text: string) => process.stderr.write(`${text}\n`);

async function open(picture: string): Promise<string | Blob> {
  if (picture.startsWith("https:")) return picture;
  try {
    return await openAsBlob(picture);
  } catch {
    throw new TypeError(`${picture} cannot be read.`);
  }
}

async function submit(person: string, garments: string[]): Promise<Job> {
  const input = { person: await open(person), garments: await Promise.all(garments.map(open)) };
  try {
    return await tryon.submit(input);
  } catch (error) {
    // No answer came. The same is sent again under the same key, so that it is paid once.
    if (isTryOnError(error, "outcome_unknown")) return error.recover();
    throw error;
  }
}

const stop = new AbortController();
// Ends the waiting; pressed again, Ctrl+C ends the program at once.
process.once("SIGINT", () => stop.abort(new Error("Stopped.")));

let job: Job | undefined;
try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [person = "", ...garments] = positionals;
  if (values.resume) job = tryon.jobs.resume(values.resume);
  else if (garments.length > 0) job = await submit(person, garments);
  else throw new TypeError("A person and a garment are needed.");
  const { id } = job;
  const result = await job.result({
    signal: stop.signal,
    onUpdate: ({ phase }) => say(`${id} ${phase}`),
  });
  await writeFile(values.out, await result.image.bytes());
  process.stdout.write(`${values.out}: ${id} cost ${result.receipt.credits} credits\n`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = stop.signal.aborted ? 130 : error instanceof TypeError ? 2 : 1;
  if (error instanceof TypeError) say(usage);
  // The job goes on, is paid once and can be waited for again, unless it failed.
  else if (job && !isTryOnError(error, "job_failed")) say(`node src/try-on.ts --resume ${job.id}`);
}
