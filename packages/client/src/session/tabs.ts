import type { SavedKey } from "./saved-try-on.ts";

export type TabMessage<Snapshot> =
  | { readonly kind: "cancel" | "reset" }
  | { readonly kind: "snapshot"; readonly key: string; readonly snapshot: Snapshot };

const prefix = "tryon-session";
const resets = new Set<() => Promise<void>>();
let everyone: BroadcastChannel | undefined;

function openChannel(
  name: string,
  onMessage: (event: MessageEvent) => void,
): BroadcastChannel | undefined {
  const { BroadcastChannel: Channel } = globalThis as Partial<typeof globalThis>;
  const channel = Channel && new Channel(name);
  channel?.addEventListener("message", onMessage);
  return channel;
}

function resetPage(): void {
  // One whose listener throws must not keep the others.
  for (const reset of resets) void reset();
}

export function resetTabs(): void {
  resetPage();
  // A channel does not receive its own messages: a session that starts now must not be reset.
  const channel = everyone ?? openChannel(prefix, resetPage);
  // The channel has one origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel?.postMessage("reset");
  if (channel !== everyone) channel?.close();
}

/** The tabs of one origin that have the same session. In a runtime without Web Locks, each works alone. */
export class Tabs<Snapshot> {
  readonly #name: string;
  readonly #channel: BroadcastChannel | undefined;
  readonly #reset: () => Promise<void>;

  constructor(key: SavedKey, onMessage: (message: TabMessage<Snapshot>) => void) {
    this.#name = prefix + (typeof key === "string" ? `:${key}` : JSON.stringify(key));
    this.#channel = openChannel(this.#name, ({ data }: MessageEvent<TabMessage<Snapshot>>) =>
      onMessage(data),
    );
    this.#reset = async () => onMessage({ kind: "reset" });
    resets.add(this.#reset);
    everyone ??= openChannel(prefix, resetPage);
  }

  post(message: TabMessage<Snapshot>): void {
    this.#channel?.postMessage(message);
  }

  /**
   * Runs the work once no other tab does. With `steal`, it takes over at once, and the work of the other tab gets `onLost`.
   * Rejects if the signal is aborted before.
   */
  async runAlone(
    work: () => Promise<void>,
    { steal, signal, onLost }: { steal: boolean; signal: AbortSignal; onLost: () => void },
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
      onLost();
    }
  }

  close(): void {
    this.#channel?.close();
    resets.delete(this.#reset);
    if (resets.size > 0) return;
    everyone?.close();
    everyone = undefined;
  }
}
