import { syncGrace, maxSyncWait } from "../config/options.ts";
import type { Deadline } from "../http/deadline.ts";
import { bookOf } from "../billing/spend-tracker.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { validateInput } from "./validate.ts";
import type { JobLife, Parts } from "./job-record.ts";
import { prepareInput } from "./prepare.ts";
import type { RunOptions } from "./run-options.ts";
import { Submitter } from "./submit.ts";
import type { Notify } from "./updates.ts";
import { withMark } from "./with-mark.ts";

export { costs, estimate } from "../billing/costs.ts";
export { purchasesOf } from "../billing/purchases.ts";
export { finish } from "./finish.ts";
export { updates } from "./wait.ts";
export { waitAll } from "./wait-all.ts";

/** Makes try-ons; {@link Starter} is the way to it. */
export class Runner {
  readonly #parts: Parts;
  readonly #submitter: Submitter;
  readonly validate = validateInput;

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
    const { validate = settings.validate, keyInMetadata = settings.keyInMetadata } = options;
    const key = idempotencyKey(options.idempotencyKey);
    const marked = keyInMetadata ? withMark(input, key) : input;
    const prepared = prepareInput(marked);
    const sync = options.sync ?? prepared.wait ?? "auto";
    const suffices = deadline.left() >= maxSyncWait + syncGrace;
    const held = sync === "auto" ? this.#submitter.holds && suffices : sync;
    const plan = {
      input: prepared,
      validate,
      idempotencyKey: key,
      held,
      marked: marked !== input,
      charge: {
        size: prepared.size,
        idempotencyKey: key,
        ownKey: options.idempotencyKey !== undefined,
        budgets: bookOf(this.#parts).budgets(options.budget),
      },
    };
    const life = await this.#submitter.submit(plan, deadline, notify);
    const { size } = prepared;
    // Whatever else it is is for the service to refuse.
    life.size = typeof size === "string" ? size : "1K";
    return life;
  }
}
