import { expect, onTestFinished, test } from "vitest";

import { installing } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { beside, copied } from "./copied-example.ts";
import { visitor, wish } from "./visitor.ts";

test.each(["express", "fastify", "hono"])(
  "the copied shop with %s starts, and receives the webhook of a try-on",
  async (name) => {
    const example = await copied(name);
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const shop = example.start("npx", [...beside, "npm", "start"], {
      PORT: String(port),
      TRYON_WEBHOOK_URL: `${url}/webhooks/tryon`,
    });
    onTestFinished(async () => void (await shop.stop()), installing);
    const headers = { cookie: "session=7f3a" };
    const results = async (): Promise<unknown> => {
      const response = await fetch(`${url}/results`, { headers }).catch(() => undefined);
      return response?.json();
    };
    // Four programs start, one after another.
    await expect.poll(results, { timeout: 120_000 }).toEqual([]);
    const { image } = await visitor(url, headers.cookie).run(wish);
    expect((await image.bytes()).length).toBeGreaterThan(1_000);
    await expect.poll(results).toHaveLength(1);
  },
  installing,
);
