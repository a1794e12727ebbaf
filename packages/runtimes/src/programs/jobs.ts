import { isTryOnError, TryOn, TryOnError, type SavedJob } from "@tryon/client";
import { images, type ProgramContext } from "./program-context.ts";

/** Submits without waiting, polls the job, resumes it, waits for several, and distinguishes errors. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl, pollInterval: "100ms" });
  const job = await tryon.submit(images, { idempotencyKey: "order-17" });
  let last: string | undefined;
  for await (const { status } of job) last = status;
  // The saved job is from this package.
  const saved = JSON.parse(JSON.stringify(job)) as SavedJob;
  const { image } = await tryon.jobs.resume(saved).result();
  const { size } = await image.blob();
  const again = await tryon.submit(images, { idempotencyKey: "order-17" });
  const blocked = await tryon.submit({ ...images, prompt: "mock:content_blocked" });
  const ends = await tryon.jobs.waitAll([job.id, blocked.id]);
  const codes = ends.map(({ error }) => error?.code ?? "none");
  const unknown: unknown = await tryon.jobs.get("job_none").catch((error: unknown) => error);
  return [
    last,
    size > 0,
    again.id === job.id,
    codes,
    isTryOnError(unknown, "not_found"),
    unknown instanceof TryOnError,
  ];
}
