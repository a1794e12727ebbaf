import type { ClockHost } from "./host.ts";

/** Timers of the machine that watch over work; none of them outlives its clock. */
export class Watches {
  readonly #host: Pick<ClockHost, "setTimeout" | "clearTimeout">;
  readonly #open = new Map<ReturnType<typeof setTimeout>, () => void>();
  #closed = false;

  constructor(host: Pick<ClockHost, "setTimeout" | "clearTimeout">) {
    this.#host = host;
  }

  /** Calls `act` after a time of the machine; when the watches are closed, at once. */
  set(act: () => void, delay: number): ReturnType<typeof setTimeout> | undefined {
    if (this.#closed) {
      act();
      return undefined;
    }
    const watch = this.#host.setTimeout(() => {
      this.#open.delete(watch);
      act();
    }, delay);
    this.#open.set(watch, act);
    return watch;
  }

  clear(watch: ReturnType<typeof setTimeout> | undefined): void {
    if (watch === undefined) return;
    this.#open.delete(watch);
    this.#host.clearTimeout(watch);
  }

  close(): void {
    this.#closed = true;
    for (const [watch, act] of this.#open) {
      this.#host.clearTimeout(watch);
      act();
    }
    this.#open.clear();
  }
}
