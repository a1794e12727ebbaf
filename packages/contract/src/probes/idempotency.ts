import type { Probe } from "../check.ts";
import type { Session } from "../session.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";

/** How submissions are answered that are sent again. */
export const idempotencyProbes: readonly Probe[] = [
  {
    id: "observed.replayHeader",
    option: "replayHeader",
    title: "Whether a replayed answer carries Idempotent-Replayed: true",
    rules: ["submit.idempotency-key.same-body"],
    level: "safe",
    on: "any",
    credits: 16,
    async observe(session) {
      const options = { idempotencyKey: session.unique() };
      const first = await session.submit({}, options);
      const again = await session.submit({}, options);
      if (first.status !== 200 || again.status !== 200) return undefined;
      return again.headers.get("idempotent-replayed") === "true";
    },
  },
  {
    id: "observed.concurrentTwin",
    option: "concurrentTwin",
    title: "What the same key and body get while the first call still waits",
    rules: ["submit.idempotency-key.concurrent"],
    level: "safe",
    on: "any",
    credits: 16,
    async observe(session) {
      const idempotencyKey = session.unique();
      const { key } = session;
      await session.bench.control?.post("next-job", {
        outcome: "succeeded",
        duration_ms: 8_000,
        api_key: key.token,
      });
      const state = { over: false };
      const send = () => session.submit({ wait: true }, { idempotencyKey });
      const first = send();
      const end = (): void => {
        state.over = true;
      };
      first.then(end, end);
      await arrivals(session, idempotencyKey, 1);
      // Whoever sends the second after the first is answered sees a replay.
      if (state.over) {
        await first;
        return undefined;
      }
      const second = send();
      await Promise.race([second, arrivals(session, idempotencyKey, 2)]);
      const twins = Promise.all([first, second]);
      const [answer, twin] = await session.passing(twins, idempotencyKey);
      if (twin.status === 409) return 409;
      return answer.status === 200 && twin.status === 200 ? "join" : undefined;
    },
  },
];

/** Waits until calls with an idempotency key have come: the journal tells, or a while that is long enough. */
async function arrivals(session: Session, idempotencyKey: string, count: number): Promise<void> {
  const { control } = session.bench;
  if (control === undefined || !session.time.virtual) return session.time.pass(500);
  for (let look = 0; look < 2_000; look += 1) {
    const { entries } = await control.get("journal?method=POST&path=/api/v1/tryon");
    const come = elementsOf(entries).filter(
      (entry) => fieldsOf(entry)["idempotency_key"] === idempotencyKey,
    );
    if (come.length >= count) return;
  }
}
