import type { CallOptions } from "../options.ts";
import type { Deadline } from "../transport/deadline.ts";
import { holdLimit } from "../transport/send.ts";
import { call, type Call } from "../transport/with-response.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { TryOnInput } from "./input.ts";
import type { Job, WaitOptions } from "./job.ts";
import type { JobLife, Parts } from "./job-life.ts";
import { withMark } from "./mark.ts";
import { prepareInput } from "./prepare.ts";
import type { TryOnResult } from "./result.ts";
import { Submitter } from "./submit.ts";
import { notifier, type Notify, type OnUpdate } from "./updates.ts";

/** What `submit` takes. */
export interface SubmitOptions extends CallOptions {
  /**
   * Names this try-on: whatever is submitted under the same key is the same try-on, made and paid once. 1 to 200 printable
   * ASCII characters. Give your own, such as an order number, to be safe across crashes of your program.
   *
   * @default a random UUID
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Whether the key is put into the metadata of the job as `_tryon_key`, so that `recover()` finds the job however much time
   * has passed. It is part of what is sent: say the same whenever you submit under the same key.
   *
   * @default the client's `mark`, which is false
   */
  readonly mark?: boolean | undefined;
  /** Whether the input is looked at before it is sent. @default the client's `inspect` */
  readonly inspect?: boolean | undefined;
  /** Is told how the call comes along. What it throws is ignored, and handed to the client's `logger`. */
  readonly onUpdate?: OnUpdate | undefined;
}

/** What `run` takes. */
export interface RunOptions extends SubmitOptions, WaitOptions {
  /**
   * Whether the service is asked to hold its answer until the job has ended, up to 90 s, which saves requests. `"auto"`
   * does when the time suffices, and no more once something on the way has cut such an answer off.
   *
   * @default "auto", or what the input says with `wait`
   */
  readonly hold?: boolean | "auto" | undefined;
}

/** Room for the way there and back, in milliseconds. */
const holdGrace = 30_000;

/** The two ways to make a try-on. */
export class Runner {
  readonly #parts: Parts;
  readonly #submitter: Submitter;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#submitter = new Submitter(parts);
  }

  submit(input: TryOnInput, options: SubmitOptions): Call<Job> {
    return this.#start(input, { ...options, hold: false }, async (life) => life.job);
  }

  run(input: TryOnInput, options: RunOptions): Call<TryOnResult> {
    return this.#start(input, options, (life, deadline, notify) => life.finish(deadline, notify));
  }

  #start<Result>(
    input: TryOnInput,
    options: RunOptions,
    goOn: (life: JobLife, deadline: Deadline, notify: Notify) => Promise<Result>,
  ): Call<Result> {
    const { settings } = this.#parts;
    return call(settings, options, undefined, async (deadline) => {
      deadline.throwIfAborted();
      const key = idempotencyKey(options.idempotencyKey);
      // Nothing has been awaited up to here, so that this is the input as it was at the call.
      const marked = (options.mark ?? settings().mark) ? withMark(input, key) : input;
      const prepared = prepareInput(marked);
      const notify = notifier(settings(), options.onUpdate);
      const hold = options.hold ?? prepared.wait ?? "auto";
      const suffices = deadline.left() >= holdLimit + holdGrace;
      const held = hold === "auto" ? this.#submitter.holds && suffices : hold;
      const { inspect = settings().inspect } = options;
      const plan = {
        input: prepared,
        inspect,
        idempotencyKey: key,
        held,
        marked: marked !== input,
      };
      return goOn(await this.#submitter.submit(plan, deadline, notify), deadline, notify);
    });
  }
}
