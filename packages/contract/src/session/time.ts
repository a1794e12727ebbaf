import { must } from "../outcome.ts";
import { maxJobTime } from "../job-waits.ts";
import type { Control } from "../target/control.ts";
import type { Time } from "../target/time.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";

export type CheckTime = ReturnType<typeof checkTime>;

/** Returns the clock of the deployment, with waits for what it does. */
export function checkTime(clock: Time, control: Control | undefined) {
  const pollDelay = clock.virtual ? 250 : 2_000;
  /** Waits until the deployment has a number of requests with an idempotency key, by its journal or for a moment. */
  const waitForRequests = async (
    idempotencyKey: string,
    count: number,
    isOver = () => false,
  ): Promise<void> => {
    if (control === undefined || !clock.virtual) return clock.pass(500);
    for (let read = 0; read < 2_000 && !isOver(); read += 1) {
      const { entries } = await control.get("journal?method=POST&path=/api/v1/tryon");
      const keys = elementsOf(entries).map((entry) => fieldsOf(entry)["idempotency_key"]);
      if (keys.filter((key) => key === idempotencyKey).length >= count) return;
      await nextTurn();
    }
  };
  return {
    ...clock,
    pollDelay,
    waitForRequests,
    /** Lets time pass until a request has its response. The server must have received the request before. */
    async passUntilSettled<Result>(
      request: Promise<Result>,
      idempotencyKey: string,
      step = 500,
    ): Promise<Result> {
      if (!clock.virtual) return request;
      const isOver = settling(request);
      await waitForRequests(idempotencyKey, 1, isOver);
      for (let passed = 0; !isOver() && passed <= maxJobTime; passed += step) {
        await clock.pass(step);
        await nextTurn();
      }
      return request;
    },
    async until<Result>(what: string, read: () => Promise<Result | undefined>): Promise<Result> {
      const from = clock.now();
      for (;;) {
        const found = await read();
        if (found !== undefined) return found;
        must(clock.now() - from <= 60_000, `It took over 60 s until ${what}.`);
        await clock.pass(pollDelay);
      }
    },
  };
}

export function settling(promise: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = (): void => void (isOver = true);
  promise.then(end, end);
  return () => isOver;
}

/** Lets a server in the same process read and respond. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
