import type { Deadline } from "../http/deadline.ts";
import { call, type Call } from "../api/call.ts";
import { captureInput } from "./snapshot-input.ts";
import type { InputIssue } from "./input-issue.ts";
import type { Job } from "./job.ts";
import type { JobLife, Parts } from "./job-record.ts";
import { late } from "./late.ts";
import type { TryOnResult } from "./result.ts";
import type { Runner } from "./run.ts";
import type { RunOptions, SubmitOptions } from "./run-options.ts";
import { notifier, type Notify } from "./updates.ts";

/** The way to {@link Runner}, which may have to be loaded first. */
export class Starter {
  readonly #parts: Parts;
  #runner: Runner | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  submit(input: unknown, options: SubmitOptions): Call<Job> {
    return this.#start(input, { ...options, sync: false }, async (life) => life.job);
  }

  run(input: unknown, options: RunOptions): Call<TryOnResult> {
    return this.#start(input, { ...options }, (life, deadline, notify) =>
      life.finish(deadline, notify),
    );
  }

  async validate(input: unknown): Promise<readonly InputIssue[]> {
    const captured = captureInput(input);
    return (await this.#load()).validate(captured);
  }

  #start<Result>(
    input: unknown,
    options: RunOptions,
    goOn: (life: JobLife, deadline: Deadline, notify: Notify) => Promise<Result>,
  ): Call<Result> {
    const { settings } = this.#parts;
    return call(settings, options, undefined, async (deadline) => {
      deadline.throwIfAborted();
      // Nothing has been awaited up to here, so that this is the input as it was at the call.
      const captured = captureInput(input);
      const notify = notifier(settings(), options.onUpdate);
      const runner = await this.#load(deadline);
      return goOn(await runner.submit(captured, options, deadline, notify), deadline, notify);
    });
  }

  async #load(deadline?: Deadline): Promise<Runner> {
    const { Runner } = await late(deadline);
    return (this.#runner ??= new Runner(this.#parts));
  }
}
