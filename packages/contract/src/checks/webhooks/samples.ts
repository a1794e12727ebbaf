import type { CheckContext } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import type { Delivery } from "../../target/receiver.ts";
import type { HttpResponse } from "../../wire/response.ts";
import { arrived, startTold, watched } from "./arrivals.ts";

/** A job whose end was told, as many checks look at it: a deployment is asked for it once. */
export interface Sample {
  readonly jobId: string;
  /** The poll after the end. */
  readonly poll: HttpResponse;
  /** What came, in order. */
  readonly deliveries: readonly Delivery[];
}

type SampleName = "succeeded" | "failed" | "refused";

const samples = new WeakMap<CheckContext, Map<SampleName, Promise<Sample>>>();

/** A job that succeeded, with a receiver that takes delivery. */
export function succeeded(session: Session): Promise<Sample> {
  return shared(session, "succeeded", async () => {
    const hook = session.hook(() => ({ status: 200 }));
    const jobId = await startTold(session, hook);
    const poll = await session.end(jobId);
    return { jobId, poll, deliveries: await arrived(session, hook) };
  });
}

/** A job that failed. @throws Skip without the control API. */
export function failed(session: Session): Promise<Sample> {
  return shared(session, "failed", async () => {
    const { token } = session.key;
    await session.control.post("next-job", { outcome: "model_rejected", api_key: token });
    const hook = session.hook(() => ({ status: 200 }));
    const jobId = await startTold(session, hook);
    const poll = await session.end(jobId);
    return { jobId, poll, deliveries: await arrived(session, hook) };
  });
}

/** A job whose webhook is answered 500 as often as it comes, over a minute longer than the last retry takes. */
export function refused(session: Session): Promise<Sample> {
  return shared(session, "refused", async () => {
    const hook = session.hook(() => ({ status: 500 }));
    const jobId = await startTold(session, hook);
    const poll = await session.end(jobId);
    const deliveries = await arrived(session, hook);
    if (deliveries.length > 0) await watched(session, 85_000);
    return { jobId, poll, deliveries: [...deliveries] };
  });
}

/** Whether it came out well or not, it is made once in a run. */
function shared(session: Session, name: SampleName, make: () => Promise<Sample>): Promise<Sample> {
  const known = samples.get(session.bench) ?? new Map<SampleName, Promise<Sample>>();
  samples.set(session.bench, known);
  const sample = known.get(name) ?? make();
  known.set(name, sample);
  return sample;
}
