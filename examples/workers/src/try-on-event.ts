import type { ClaimState, ReceiverStore } from "@tryon/webhooks";
import { DurableObject } from "cloudflare:workers";

interface Held {
  /** Absent once the event was handled. */
  readonly owner?: string;
  readonly until: number;
}

/**
 * One object per event. All deliveries of the event use the same object, one after another. KV cannot do this: it has no
 * atomic read and write, and its reads can be a minute old. Two deliveries of an event would both be handled.
 */
export class TryOnEvent extends DurableObject {
  async claim(owner: string, ttl: number): Promise<ClaimState> {
    // No other delivery runs between this read and the following write.
    const held = await this.ctx.storage.get<Held>("held");
    if (held && held.until > Date.now() && held.owner !== owner) {
      return held.owner === undefined ? "done" : "open";
    }
    await this.#hold({ owner, until: Date.now() + ttl });
    return "claimed";
  }

  async done(ttl: number): Promise<void> {
    await this.#hold({ until: Date.now() + ttl });
  }

  async release(owner: string): Promise<void> {
    const held = await this.ctx.storage.get<Held>("held");
    if (held?.owner === owner) await this.ctx.storage.deleteAll();
  }

  /** Deletes the event once it has expired, so that its storage is not billed any longer. */
  override async alarm(): Promise<void> {
    const held = await this.ctx.storage.get<Held>("held");
    if (held && held.until > Date.now()) await this.ctx.storage.setAlarm(held.until);
    else await this.ctx.storage.deleteAll();
  }

  async #hold(held: Held): Promise<void> {
    await Promise.all([this.ctx.storage.put("held", held), this.ctx.storage.setAlarm(held.until)]);
  }
}

/** Creates a store for `createReceiver` that all instances of the worker share. */
export function eventStore(events: DurableObjectNamespace<TryOnEvent>): ReceiverStore {
  // JSON gives different keys different names, whatever characters they have.
  const eventOf = (key: string) => events.getByName(JSON.stringify(key));
  return {
    claim: (key, owner, ttl) => eventOf(key).claim(owner, ttl),
    done: (key, ttl) => eventOf(key).done(ttl),
    release: (key, owner) => eventOf(key).release(owner),
  };
}
