import { inParallel } from "./in-parallel.ts";
import { fieldsOf, webhookUrl, type Item, type Scene } from "./scene.ts";

/** How many items a caller has under way whose results come by webhook. */
const atOnce = 40;

/** Submits, and waits for the service to say that a job has ended; nobody asks for it. */
export async function byWebhook(scene: Scene, items: readonly Item[]): Promise<void> {
  const tryon = scene.client();
  // From then on the client knows the limit, and no crowd of first requests can meet it.
  await tryon.account.get();
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (jobId: string): PromiseWithResolvers<void> => {
    const known = ends.get(jobId) ?? Promise.withResolvers<void>();
    ends.set(jobId, known);
    return known;
  };
  scene.listen((jobId) => endOf(jobId).resolve());
  await inParallel(items, atOnce, async (item) => {
    const job = await tryon.submit({ ...fieldsOf(item), webhook_url: webhookUrl });
    await endOf(job.id).promise;
    scene.came(item.index);
  });
}
