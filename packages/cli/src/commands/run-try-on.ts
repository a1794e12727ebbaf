import { isTryOnError, type Garments, type Job, type TryOnInput, type Update } from "@tryon/client";
import { duration, repeated, text, UsageError, wholeNumber, type Command } from "@tryon/cli-kit";

import { addConnection, connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import {
  bar,
  formatCredits,
  formatDuration,
  note,
  print,
  printJson,
  showProgress,
} from "../display.ts";
import { CommandError, toFailure } from "../failure.ts";
import { checkOutput, checkWritable, isPresent, openImage } from "../images.ts";

export const addRunOptions = (command: Command) =>
  addConnection(
    command
      .optionsGroup("Try-on:")
      .requiredOption("--person <image>", "photo of the person: path or https URL", text)
      .requiredOption("--garment <image>", "garment: path or https URL; 1 to 3 times", repeated)
      .option("--size <size>", "1K, 2K or 4K (default: 1K)", text)
      .option("--prompt <text>", "instructions, up to 1,000 characters", text)
      .option("--negative-prompt <text>", "what to avoid, up to 500 characters", text)
      .option("--seed <number>", "seed, from 0 to 2147483647", seed)
      .option("-o, --output <file>", "image file (default: the job id, as PNG)", text)
      .option("--max-credits <number>", "maximum cost", wholeNumber(0, 999_999_999))
      .option("--timeout <duration>", "maximum time, such as 5m", duration(86_400))
      .option("--idempotency-key <key>", "key of an earlier run, which is not paid again", text),
  );

function seed(value: string): number {
  // Digits beyond the limit of the parser are rejected by the client.
  return /^\d{10}$/.test(value) ? Number(value) : wholeNumber(0, 999_999_999)(value);
}

type RunOptions = ReturnType<ReturnType<typeof addRunOptions>["opts"]>;

export async function runTryOn(options: RunOptions, context: CliContext): Promise<number> {
  const { output, timeout = 600_000, idempotencyKey, maxCredits } = options;
  const progress = new RunProgress();
  // Each call gets the time that is left.
  const within = () => ({ signal, timeout: Math.max(1, timeout - progress.elapsed) });
  if (output !== undefined) await checkOutput("--output", output);
  else await checkWritable("the current folder", process.cwd(), "job.png");
  const input = await readInput(options);
  const { tryon, isLive } = await connect(options, context);
  const issues = await tryon.validate(input);
  for (const { severity, message, hint = "" } of issues) {
    if (severity === "warning") note(context, `Warning: ${message} ${hint}`.trim());
  }
  const signal = context.onInterrupt();
  let end = showProgress(context, () => "Validating");
  try {
    if (issues.every(({ severity }) => severity === "warning")) {
      const price = isLive ? formatCredits(await tryon.estimate(input, within())) : "free";
      end();
      note(context, `Price: ${price}${isLive ? "" : " (test key)"}`);
      end = showProgress(context, () => progress.text);
    }
    const job = await tryon.submit(input, {
      ...within(),
      onUpdate: progress.update,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(maxCredits !== undefined && { budget: { maxCredits } }),
    });
    progress.job = job;
    const { image, receipt } = await job.result({ ...within(), onUpdate: progress.update });
    const path = output ?? `${job.id}.png`;
    // The default name is that of the job, so an existing file is its image.
    if (output !== undefined || !(await isPresent(path))) await image.save(path, within());
    const { data } = job;
    const balance = data.credits_remaining ?? receipt.balance;
    end();
    if (options.json === true) {
      printJson(context, {
        job_id: job.id,
        status: job.status,
        path,
        cost_credits: data.cost_credits,
        credits_remaining: balance,
        idempotency_key: progress.key,
        duration_ms: progress.elapsed,
      });
    } else {
      note(
        context,
        `${job.id}: ${formatCredits(data.cost_credits)}${balance === undefined ? "" : `, ${formatCredits(balance)} left`}, ${formatDuration(progress.elapsed)}`,
      );
      print(context, path);
    }
    return 0;
  } catch (error) {
    end();
    const next = progress.nextStep(output);
    if (signal.aborted) {
      note(context, `Interrupted. ${next}`);
      throw error;
    }
    const { job } = progress;
    if (job && !isTryOnError(error)) {
      throw new CommandError(
        "not_saved",
        `The image cannot be saved: ${error instanceof Error ? error.message : String(error)}. The try-on is paid, and this is free: tryon jobs download ${job.id} -o FILE`,
        job.id,
      );
    }
    const isOpen = isTryOnError(error) && ("recover" in error || error.code === "wait_timed_out");
    throw toFailure(error, isOpen ? next : undefined);
  }
}

async function readInput(options: RunOptions): Promise<TryOnInput> {
  const { garment, size, prompt, negativePrompt: negative_prompt, seed: number } = options;
  if (garment.length > 3) throw new UsageError("--garment takes 1 to 3 images.");
  const garments: (string | Blob)[] = [];
  for (const value of garment) garments.push(await openImage("--garment", value));
  return {
    person: await openImage("--person", options.person),
    // Counted above.
    garments: garments as unknown as Garments,
    // The client checks it.
    ...(size !== undefined && { output_size: size.toUpperCase() as "1K" }),
    prompt,
    negative_prompt,
    seed: number,
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

class RunProgress {
  job: Job | undefined;
  key: string | undefined;
  #phase = "Submitting";
  readonly #start = performance.now();

  get elapsed(): number {
    return Math.round(performance.now() - this.#start);
  }

  get text(): string {
    return `${this.#phase} ${formatDuration(this.elapsed)}`;
  }

  readonly update = (update: Update): void => {
    if ("job" in update) {
      this.job = update.job;
      this.#phase = `${update.job.id} ${update.job.status}`;
      return;
    }
    this.key = update.idempotencyKey;
    if (update.phase === "uploading") {
      const { sent, total } = update;
      this.#phase = `Uploading ${bar(sent, total)} ${megabytes(sent)}/${megabytes(total)} MB`;
    } else if (update.phase === "retrying") {
      this.#phase = `Retrying in ${formatDuration(update.delay)}`;
    }
  };

  /** Says how to take up the try-on without another charge. */
  nextStep(output: string | undefined): string {
    const file = output === undefined ? "" : ` -o ${output}`;
    if (this.job) {
      return `The job continues and is billed once: tryon jobs wait ${this.job.id}${file}`;
    }
    if (this.key === undefined) return "Nothing was submitted.";
    return `It may have been submitted. Within 27 minutes, run the same command with --idempotency-key ${this.key} to take it up without a second charge.`;
  }
}
