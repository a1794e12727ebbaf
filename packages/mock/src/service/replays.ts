import type { IdempotencyRecord, StoredResponse } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import type { ServiceContext } from "./context.ts";
import { ServiceError } from "./service-error.ts";

/** A call as far as its idempotency key goes. */
export interface KeyedCall {
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
}

/** What was answered under idempotency keys, and those who wait to be answered the same. */
export class Replays {
  readonly #context: ServiceContext;
  readonly #waiters = new Map<string, ((answer: StoredResponse) => void)[]>();

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /**
   * What was done before under the call's idempotency key, if that is still remembered.
   *
   * @throws Refusal `conflict` when it was another body.
   */
  async earlier(
    transaction: Transaction,
    call: KeyedCall,
    bodyDigest: string,
  ): Promise<IdempotencyRecord | undefined> {
    if (call.idempotencyKey === undefined) return undefined;
    const record = await transaction.idempotency(call.keyId, call.idempotencyKey);
    if (record === undefined || record.expiresAt <= this.#context.system.clock.now()) {
      return undefined;
    }
    if (record.bodyDigest === bodyDigest) return record;
    throw new ServiceError(
      "conflict",
      "The Idempotency-Key was used with a different body; use a new key for a new request.",
    );
  }

  /**
   * The answer that the first call got, or will get.
   *
   * @throws Refusal `conflict` while it still waits, where the server joins no twins.
   */
  async answerOf(record: IdempotencyRecord): Promise<StoredResponse> {
    if (record.answer !== null) return record.answer;
    if (this.#context.options.concurrentTwin === 409) {
      throw new ServiceError(
        "conflict",
        "A request with this Idempotency-Key is still being worked on; ask again with the same key in a moment.",
      );
    }
    const { keyId, idempotencyKey } = record;
    const name = waiterName(keyId, idempotencyKey);
    const told = new Promise<StoredResponse>((resolve) => {
      this.#waiters.set(name, [...(this.#waiters.get(name) ?? []), resolve]);
    });
    // The first call may have been answered between the step that found its record and this one.
    const current = await this.#context.store.transact((transaction) =>
      transaction.idempotency(keyId, idempotencyKey),
    );
    if (current === undefined) return { kind: "server-error" };
    return current.answer ?? this.#context.system.clock.outside(told);
  }

  /** Keeps the first answer, and gives it to those who wait for it. */
  async remember(call: KeyedCall, answer: StoredResponse): Promise<void> {
    const { idempotencyKey, keyId } = call;
    if (idempotencyKey === undefined) return;
    await this.#context.store.transact(async (transaction) => {
      const record = await transaction.idempotency(keyId, idempotencyKey);
      if (record !== undefined) await transaction.putIdempotency({ ...record, answer });
    });
    this.tell(call, answer);
  }

  /** Within a step: keeps an error of the server as the answer, or forgets the key, as the server is set. */
  async fail(transaction: Transaction, call: KeyedCall): Promise<void> {
    if (call.idempotencyKey === undefined) return;
    const record = await transaction.idempotency(call.keyId, call.idempotencyKey);
    if (record === undefined) return;
    if (!this.#context.options.stored500) return transaction.removeIdempotency(record);
    return transaction.putIdempotency({ ...record, answer: { kind: "server-error" } });
  }

  /** Gives an answer to those who wait for it. */
  tell(call: KeyedCall, answer: StoredResponse): void {
    const name = waiterName(call.keyId, call.idempotencyKey ?? "");
    for (const resolve of this.#waiters.get(name) ?? []) resolve(answer);
    this.#waiters.delete(name);
  }
}

function waiterName(keyId: string, idempotencyKey: string): string {
  return `${keyId}\n${idempotencyKey}`;
}
