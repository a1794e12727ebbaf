import { host } from "../system/host.ts";

interface Waiter {
  check(): void;
  fail(reason: Error): void;
}

/** Those who wait for something to become true, in the machine's time. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();

  /**
   * Resolves once `enough` holds.
   *
   * @throws what `timeUp` makes when it does not hold after `timeout` milliseconds.
   */
  wait(enough: () => boolean, timeout: number, timeUp: () => Error): Promise<void> {
    if (enough()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = (): void => {
        host.clearTimeout(alarm);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        check: () => {
          if (!enough()) return;
          end();
          resolve();
        },
        fail: (reason) => {
          end();
          reject(reason);
        },
      };
      const alarm = host.setTimeout(() => waiter.fail(timeUp()), timeout);
      this.#waiters.add(waiter);
    });
  }

  /** Something has changed: lets each of them look again. */
  check(): void {
    for (const waiter of this.#waiters) waiter.check();
  }

  /** Ends every wait. */
  fail(reason: Error): void {
    for (const waiter of this.#waiters) waiter.fail(reason);
  }
}
