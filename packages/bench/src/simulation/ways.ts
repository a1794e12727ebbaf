import { batch } from "@tryon/client/batch";
import { pollFor, pollingClients } from "./fixed-polling.ts";
import { inParallel } from "./in-parallel.ts";
import { fieldsOf, type Item, type Scene, type SceneOptions } from "./scene.ts";
import { byWebhook } from "./webhook.ts";

/** A way of having many try-ons made. */
export interface Way {
  readonly name: string;
  readonly service?: SceneOptions["service"];
  /** What is said about holding answers, where that can be said. */
  readonly hold?: boolean | "auto";
  readonly work: (scene: Scene, items: readonly Item[]) => Promise<void>;
}

/** How many jobs a caller has under way at once whose client says nothing of that. */
export const poolSize = 20;

/** As clients do that poll each job by itself. */
export const pollingWays: readonly Way[] = Object.entries(pollingClients).map(
  ([name, habits]): Way => ({
    name: `each polled every ${habits.interval.toLocaleString("en-US")} ms, as ${name} does`,
    work: (scene, items) => inParallel(items, poolSize, (item) => pollFor(item, habits, scene)),
  }),
);

const watched = inBatch("a batch, watched", false);
const held = inBatch("a batch, held", "auto");

/** Ours, where each answer says how much of the rate limit is left. */
export const ourWays = {
  watched,
  held,
  webhooks: { name: "by webhook", work: byWebhook },
} as const satisfies Readonly<Record<string, Way>>;

/** The same where the service says less of its limit. */
export const ourWaysUntold: readonly Way[] = (["429-only", "none"] as const).flatMap(
  (rateHeaders) =>
    [watched, held].map((way) => ({
      ...way,
      name: `${way.name}, ${rateHeaders === "none" ? "no headers of the limit" : "such headers with a 429 alone"}`,
      service: { options: { rateHeaders } },
    })),
);

function inBatch(name: string, hold: boolean | "auto"): Way {
  return {
    name,
    hold,
    work: async (scene, items) => {
      for await (const outcome of batch(scene.client(), items, { input: fieldsOf, hold })) {
        if (outcome.error) throw outcome.error;
        scene.came(outcome.index);
      }
    },
  };
}
