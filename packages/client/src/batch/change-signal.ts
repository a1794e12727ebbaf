/** Resumes its waiters when something changes. Check the condition, then call `wait` without an `await` between. */
export class ChangeSignal {
  #resolve: (() => void) | undefined;
  #change: Promise<void> | undefined;

  /** Resolves at the next `notify`. */
  wait(): Promise<void> {
    return (this.#change ??= new Promise((resolve) => {
      this.#resolve = resolve;
    }));
  }

  notify(): void {
    this.#resolve?.();
    this.#change = undefined;
    this.#resolve = undefined;
  }
}
