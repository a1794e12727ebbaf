import type { Budget } from "../billing/budget.ts";
import type { BudgetLimit } from "../billing/budget-limit.ts";
import type { CallOptions } from "../config/options.ts";
import type { WaitOptions } from "./job.ts";
import type { OnUpdate } from "./updates.ts";

/** Options of `submit`. */
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
   * @default the client's `keyInMetadata`, which is false
   */
  readonly keyInMetadata?: boolean | undefined;
  /**
   * How many credits this call may cost, or a `Budget` that it shares with others; `budget_exceeded` before anything is sent
   * when that does not hold it. The client's budget holds besides.
   *
   * @default none
   */
  readonly budget?: Budget | BudgetLimit | undefined;
  /** Whether the input is looked at before it is sent. @default the client's `validate` */
  readonly validate?: boolean | undefined;
  /** Is told how the call comes along. What it throws is ignored, and handed to the client's `logger`. */
  readonly onUpdate?: OnUpdate | undefined;
}

/** Options of `run`. */
export interface RunOptions extends SubmitOptions, WaitOptions {
  /**
   * Whether the service is asked to hold its answer until the job has ended, up to 90 s, which saves requests. `"auto"`
   * does when the time suffices, and no more once something on the way has cut such an answer off.
   *
   * @default "auto", or what the input says with `wait`
   */
  readonly sync?: boolean | "auto" | undefined;
}

/** Names of the options of `submit`. */
export const submitOptionNames: Readonly<Record<keyof SubmitOptions, true>> = {
  signal: true,
  timeout: true,
  idempotencyKey: true,
  keyInMetadata: true,
  budget: true,
  validate: true,
  onUpdate: true,
};
/** Names of the options of `run`. */
export const runOptionNames: Readonly<Record<keyof RunOptions, true>> = {
  ...submitOptionNames,
  sync: true,
};
