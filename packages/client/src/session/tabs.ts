/** Message between the tabs of a session. `Snapshot` is the state that they show. */
export type TabMessage<Snapshot> =
  | { readonly kind: "cancel" | "reset" }
  | { readonly kind: "snapshot"; readonly key: string; readonly snapshot: Snapshot };

/** The tabs of one origin that have the same session. In a runtime without Web Locks, each works alone. */
export class Tabs<Snapshot> {
  readonly #name: string;
  readonly #channel: BroadcastChannel | undefined;

  constructor(name: string, onMessage: (message: TabMessage<Snapshot>) => void) {
    this.#name = `tryon-session:${name}`;
    const { BroadcastChannel: Channel } = globalThis as Partial<typeof globalThis>;
    this.#channel = Channel && new Channel(this.#name);
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage<Snapshot>>) =>
      onMessage(data),
    );
  }

  post(message: TabMessage<Snapshot>): void {
    this.#channel?.postMessage(message);
  }

  /**
   * Runs the work once no other tab does. With `steal`, it takes over at once, and the work of the other tab gets `onStolen`.
   * Rejects if the signal is aborted before.
   */
  async runAlone(
    work: () => Promise<void>,
    { steal, signal, onStolen }: { steal: boolean; signal: AbortSignal; onStolen: () => void },
  ): Promise<void> {
    const { locks } = navigator as Partial<Navigator>;
    if (!locks) return work();
    let hasStarted = false;
    const run = (): Promise<void> => {
      hasStarted = true;
      return work();
    };
    try {
      await locks.request(this.#name, steal ? { steal } : { signal }, run);
    } catch (error) {
      if (!hasStarted) throw error;
      onStolen();
    }
  }

  close(): void {
    this.#channel?.close();
  }
}
