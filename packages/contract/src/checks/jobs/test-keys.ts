import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { ownKey } from "./journey.ts";
import { idsOf, pageOf } from "./pages.ts";

const free = { level: "safe", on: "test", credits: 0 } as const;

/** What a test key can do: all that a live one can. */
export const testKeys: readonly Check[] = [
  {
    ...free,
    id: "test-key.journey",
    title: "A job of a test key is listed, polled to its end, and told of by webhook",
    rules: ["test-key.all-endpoints"],
    async run(session) {
      const hook = session.hook();
      const key = await ownKey(session);
      const jobId = await session.start({ webhook_url: hook.url }, { key });
      await session.end(jobId, { key });
      const page = await pageOf(session, key);
      must(idsOf(page).includes(jobId), "The job of a test key is not on its list.", page);
      await session.until("the webhook of a test key's job comes", async () =>
        hook.deliveries.length > 0 ? true : undefined,
      );
    },
  },
];
