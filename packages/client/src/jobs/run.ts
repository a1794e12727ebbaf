import { holdGrace, holdLimit } from "../options.ts";
import type { Deadline } from "../transport/deadline.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { inspectInput } from "./inspect.ts";
import type { JobLife, Parts } from "./job-life.ts";
import { prepareInput } from "./prepare.ts";
import type { RunOptions } from "./run-options.ts";
import { Submitter } from "./submit.ts";
import type { Notify } from "./updates.ts";
import { withMark } from "./with-mark.ts";

export { finish } from "./finish.ts";
export { updates } from "./wait.ts";
export { waitAll } from "./wait-all.ts";

/** Makes try-ons; {@link Starter} is the way to it. */
export class Runner {
  readonly #parts: Parts;
  readonly #submitter: Submitter;
  readonly inspect = inspectInput;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#submitter = new Submitter(parts);
  }

  /** Submits an input that nobody changes any more. */
  async submit(
    input: unknown,
    options: RunOptions,
    deadline: Deadline,
    notify: Notify,
  ): Promise<JobLife> {
    const settings = this.#parts.settings();
    const { inspect = settings.inspect, mark = settings.mark } = options;
    const key = idempotencyKey(options.idempotencyKey);
    const marked = mark ? withMark(input, key) : input;
    const prepared = prepareInput(marked);
    const hold = options.hold ?? prepared.wait ?? "auto";
    const suffices = deadline.left() >= holdLimit + holdGrace;
    const held = hold === "auto" ? this.#submitter.holds && suffices : hold;
    const plan = {
      input: prepared,
      inspect,
      idempotencyKey: key,
      held,
      marked: marked !== input,
    };
    const life = await this.#submitter.submit(plan, deadline, notify);
    const { size } = prepared;
    // Whatever else it is is for the service to refuse.
    life.size = typeof size === "string" ? size : "1K";
    return life;
  }
}
