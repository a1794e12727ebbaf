import { isTryOnError, type TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { signedRequest } from "@tryon/webhooks";
import { storeSuite } from "@tryon/webhooks/testing/store-suite";
import { freePort } from "@tryon/test-kit/free-port";
import { visitor, wish } from "./visitor.ts";
import { serveWorker } from "./worker-server.ts";

const mock = useMock();
let example: AppFolder;
let worker: Awaited<ReturnType<typeof serveWorker>>;
let url: string;

/** Entry points for workers beside those of the example. */
const entries = ["batch", "postgres", "raw", "redis", "session", "testing"]
  .map((name) => `client/${name}`)
  .concat(["hono", "postgres", "reconcile", "redis"].map((name) => `webhooks/${name}`));

/**
 * The worker of the example, with a receiver that handles events after its response. It loads all entry points, since
 * a worker refuses some functions of the platform during an import.
 */
const program = `
  ${entries.map((entry, index) => `import * as entry${index} from "@tryon/${entry}";`).join("\n")}
  globalThis.entries = [${entries.map((_entry, index) => `entry${index}`).join(", ")}];
  import { env, waitUntil } from "cloudflare:workers";
  import { createReceiver } from "@tryon/webhooks";
  import worker, { TryOnEvent } from "./src/worker.ts";

  const receive = createReceiver({
    secrets: env.TRYON_WEBHOOK_SECRET,
    onCompleted: (event) => env.SESSIONS.put(event.job_id, event.error_message),
    background: waitUntil,
  });
  export { TryOnEvent };
  export default {
    fetch: (request) => (request.url.endsWith("/background") ? receive(request) : worker.fetch(request)),
  };
`;

beforeAll(async () => {
  example = await AppFolder.copy("workers");
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  await example.write("entry.js", program);
  const bindings = {
    TRYON_API_KEY: mock.keys.live,
    TRYON_BASE_URL: mock.url,
    TRYON_WEBHOOK_SECRET: mock.webhookSecret,
    TRYON_WEBHOOK_URL: `${url}/webhooks/tryon`,
  };
  worker = await serveWorker(example, port, bindings, "entry.js");
  const sessions = await worker.getKVNamespace("SESSIONS");
  await sessions.put("s7f3a", "ada");
  await sessions.put("s81bc", "grace");
}, installing);

afterAll(async () => {
  await worker.dispose();
  await example.remove();
}, installing);

const page = (session: string): TryOn => visitor(url, `session=${session}`);

async function made() {
  const before = new Set((await mock.webhooks.deliveries()).map(({ id }) => id));
  const result = await page("s7f3a").run(wish);
  const delivery = (await mock.webhooks.deliveries()).find(({ id }) => !before.has(id));
  if (delivery === undefined) throw new Error("The job came to no webhook.");
  return { ...delivery, result };
}

async function statusesOf(id: string) {
  const deliveries = await mock.webhooks.deliveries();
  const delivery = deliveries.find((one) => one.id === id);
  return delivery?.attempts.map(({ status }) => status) ?? [];
}

/** Number of images that the handler has fetched. */
function handled(jobId: string): number {
  const path = mock.journal.entries({ method: "GET" }).map((entry) => entry.path);
  return path.filter((one) => one.includes(jobId)).length;
}

async function saved(): Promise<readonly string[]> {
  const { objects } = await (await worker.getR2Bucket("IMAGES")).list();
  return objects.filter(({ size }) => size > 0).map(({ key }) => key);
}

test("the example compiles with the types of workers", { timeout: installing }, async () => {
  await expect(example.run("npm", ["run", "check"])).resolves.toContain("tsc");
});

describe("the worker", () => {
  test("creates a try-on of a visitor, and saves its image after the webhook", async () => {
    const { result, jobId } = await made();
    expect((await result.image.bytes()).subarray(1, 4)).toEqual(
      Uint8Array.from(Buffer.from("PNG")),
    );
    await expect.poll(saved).toContain(`${jobId}.png`);
  });

  test("accepts known visitors only, each for their own jobs", async () => {
    const refused = await page("s0000")
      .run(wish)
      .catch((error: unknown) => error);
    expect(isTryOnError(refused, "unauthorized")).toBe(true);
    const { job } = await page("s7f3a").run(wish);
    const foreign = await page("s81bc")
      .jobs.get(job.id)
      .catch((error: unknown) => error);
    expect(isTryOnError(foreign, "not_found")).toBe(true);
    expect((await fetch(url)).status).toBe(404);
  });

  test("handles a duplicate event once", async () => {
    const { id, jobId } = await made();
    await expect.poll(() => statusesOf(id)).toEqual([204]);
    const again = await mock.webhooks.duplicate(id);
    expect(again.attempts.map(({ status }) => status)).toEqual([204]);
    expect(handled(jobId)).toBe(1);
  });

  test("handles two concurrent deliveries of an event once", async () => {
    mock.faults.add({ on: "webhook", times: 1, drop: true });
    const { id, jobId } = await made();
    // Long enough that the second arrives before the first is handled.
    mock.faults.add({ on: "GET /results/*", times: 1, latency: 300 });
    const both = await Promise.all([mock.webhooks.replay(id), mock.webhooks.replay(id)]);
    expect(both.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([
      [204],
      [204],
    ]);
    expect(handled(jobId)).toBe(1);
    expect(await saved()).toContain(`${jobId}.png`);
  });

  test("handles an event again after its handler has failed", async () => {
    mock.faults.add({ on: "webhook", times: 1, drop: true });
    const { id, jobId } = await made();
    mock.faults.add({ on: "GET /results/*", times: 1, status: 500 });
    const failed = await mock.webhooks.replay(id);
    expect(failed.attempts.map(({ status }) => status)).toEqual([500]);
    const later = await mock.webhooks.replay(id);
    expect(later.attempts.map(({ status }) => status)).toEqual([204]);
    expect(await saved()).toContain(`${jobId}.png`);
  });

  test("rejects a webhook that was changed, a large body and another method", async () => {
    const { id } = await made();
    const forged = await mock.webhooks.tamper(id);
    expect(forged.attempts.map(({ status }) => status)).toEqual([400]);
    const to = `${url}/webhooks/tryon`;
    expect((await fetch(to)).status).toBe(405);
    const { headers } = await signedRequest({}, { secret: mock.webhookSecret });
    const large = { method: "POST", headers, body: new Uint8Array(2_000_000) };
    expect((await fetch(to, large)).status).toBe(413);
  });

  test("handles an event after the response, once", async () => {
    const error_message = "\u{1F600} kein Tr\u00E4ger";
    const to = { secret: mock.webhookSecret, url: `${url}/background` };
    const event = await signedRequest({ job_id: "job_background", error_message }, to);
    expect((await fetch(event.clone())).status).toBe(202);
    const handledEvents = await worker.getKVNamespace("SESSIONS");
    await expect.poll(() => handledEvents.get("job_background")).toBe(error_message);
    expect((await fetch(event)).status).toBe(204);
  });
});

describe("the store in Durable Objects", () => {
  storeSuite(async () => {
    const events = await worker.getDurableObjectNamespace("EVENTS");
    const eventOf = (key: string) => events.getByName(JSON.stringify(key));
    return {
      clients: [
        {
          claim: (key, owner, ttl) => eventOf(key).claim(owner, ttl),
          done: (key, ttl) => eventOf(key).done(ttl),
          release: (key, owner) => eventOf(key).release(owner),
        },
      ],
    };
  });
});
