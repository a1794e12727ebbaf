/** Wakes everybody who waits for something to change. Ask whether it has, then wait, without awaiting anything between. */
export class Bell {
  #ring: (() => void) | undefined;
  #rung: Promise<void> | undefined;

  /** Resolves the next time it is rung. */
  wait(): Promise<void> {
    return (this.#rung ??= new Promise((resolve) => {
      this.#ring = resolve;
    }));
  }

  ring(): void {
    this.#ring?.();
    this.#rung = undefined;
    this.#ring = undefined;
  }
}
