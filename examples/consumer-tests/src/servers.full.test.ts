import { cp, readFile } from "node:fs/promises";

import { expect, onTestFinished, test } from "vitest";

import { assetPath } from "@tryon/test-kit/repository";
import { freePort } from "@tryon/test-kit/free-port";
import { CopiedExample, installing } from "./copied-example.ts";
import { visitor, wish } from "./visitor.ts";

/** Command of the example's installed reference server. */
const beside = ["tryon-mock", "exec", "--latency", "0", "--"] as const;

async function copied(name: string): Promise<CopiedExample> {
  const example = await CopiedExample.install(name);
  onTestFinished(() => example.remove(), installing);
  return example;
}

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
    const looks = async (): Promise<unknown> => {
      const answer = await fetch(`${url}/looks`, { headers }).catch(() => undefined);
      return answer?.json();
    };
    // Four programs start, one after another.
    await expect.poll(looks, { timeout: 120_000 }).toEqual([]);
    const { image } = await visitor(url, headers.cookie).run(wish);
    expect((await image.bytes()).length).toBeGreaterThan(1_000);
    await expect.poll(looks).toHaveLength(1);
  },
  installing,
);

test(
  "the copied script saves an image",
  async () => {
    const example = await copied("node");
    const pictures = ["person.jpg", "shirt.png"];
    for (const picture of pictures) {
      await cp(assetPath(picture), example.path(picture));
    }
    const said = await example.run("npx", [...beside, "npm", "start", "--", ...pictures]);
    expect(said).toMatch(/try-on\.png: job_\w+ cost 8 credits/);
    expect((await readFile(example.path("try-on.png"))).subarray(1, 4).toString()).toBe("PNG");
  },
  installing,
);
