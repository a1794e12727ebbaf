import { describe, expect, test } from "vitest";

import { operations, webhooks } from "@tryon/spec/openapi-document";
import type { NextJob } from "../control/next-job.ts";
import { stockEngine } from "../engine/stock.ts";
import type { MockOptions } from "../mock.ts";
import { caller, manualServer, type ClientResponse } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { headed, pixel } from "../../test/images.ts";
import { receiver } from "../../test/receiver.ts";

/** Creates a server at 12:00 on its first day. */
async function createServer(input: MockOptions = {}) {
  const hooks = receiver();
  const baseUrl = "https://api.example.com";
  const given = { seed: "examples", baseUrl, sendWebhook: hooks.send, ...input };
  const { mock, call, anonymous } = manualServer(given);
  await mock.clock.advance("12h");
  const withKey = async (key: Parameters<typeof mock.createKey>[0]) =>
    caller(mock, (await mock.createKey(key)).token);
  return { mock, call, anonymous, withKey, hooks };
}

type Server = Awaited<ReturnType<typeof createServer>>;
type Fields = Readonly<Record<string, unknown>>;
type Answer = Pick<ClientResponse<unknown>, "status" | "body"> & { readonly headers?: Headers };
type Scenario = (server: Server) => Promise<Answer>;

const shirt = { seed: 20_260_101, metadata: { sku: "LS-204" } };
const large = { output_size: "2K", seed: 8_151_623, metadata: { sku: "LS-204", position: 3 } };
const shirtJob: NextJob = { durationMs: 11_840 };
const largeJob: NextJob = { durationMs: 18_320 };
const blockedJob: NextJob = { outcome: "content_blocked", durationMs: 6_210 };

/** Submits a job that takes some time, and returns the response after 90 seconds at most. */
const submit =
  (fields: Fields, job: NextJob = {}): Scenario =>
  async ({ mock, call }) => {
    mock.nextJob(job);
    const response = call.submit(fields);
    await mock.clock.advance("90s");
    return response;
  };

/** Polls a job that was submitted at a time after 12:00, after a further time. */
const poll =
  (at: `${number}s`, after: `${number}s`, fields: Fields, job: NextJob): Scenario =>
  async ({ mock, call }) => {
    await mock.clock.advance(at);
    mock.nextJob(job);
    const { body } = await call.submit(fields);
    await mock.clock.advance(after);
    return call.poll(body.job_id);
  };

/** Returns the event of a job that was submitted at a time after 12:00. */
const event =
  (at: `${number}s`, job: NextJob): Scenario =>
  async ({ mock, call, hooks }) => {
    await mock.clock.advance(at);
    mock.nextJob(job);
    await call.submit({ webhook_url: "https://shop.example/hooks/tryon" });
    await mock.clock.advance("60s");
    return { status: 200, body: hooks.received[0]?.body };
  };

const purchase =
  (pack_slug: string, shared_payment_granted_token: string): Scenario =>
  async ({ withKey }) =>
    (await withKey({ credits: 992 })).purchase({ pack_slug, shared_payment_granted_token });

async function listTwoOfThree({ mock, call }: Server): Promise<Answer> {
  await call.submit();
  mock.nextJob(shirtJob);
  await call.submit(shirt);
  await mock.clock.advance("30s");
  mock.nextJob(largeJob);
  await call.submit(large);
  return call.list("?limit=2");
}

async function exceedRateLimit({ mock, withKey }: Server): Promise<Answer> {
  const call = await withKey({ rateLimitPerMinute: 60 });
  await mock.clock.advance("43s");
  for (let count = 0; count < 60; count += 1) await call.account();
  return call.account();
}

async function unavailable({ mock, call }: Server): Promise<Answer> {
  mock.faults.add({ on: "* *", status: 503, retryAfter: 2 });
  return call.submit();
}

/** Request of each example, by operation, status and name. Operations share the examples without one. */
const scenarios: Readonly<Record<string, Scenario>> = {
  "submitTryOn 200 sync_success": submit({ ...shirt, wait: true }, shirtJob),
  "submitTryOn 200 sync_limit": submit({ output_size: "4K", wait: true }, { outcome: "never" }),
  "submitTryOn 200 async": submit(large),
  "submitTryOn 200 sync_failure": submit({ wait: true }, blockedJob),
  "submitTryOn 200 test_key": ({ mock, ...server }) =>
    submit({ ...shirt, wait: true })({ ...server, mock, call: caller(mock, mock.keys.test) }),
  "submitTryOn 400 missing_person": submit({ person_url: null }),
  "submitTryOn 400 missing_garment": submit({ garment_urls: [] }),
  "submitTryOn 400 blocked_url": submit({ person_url: "https://10.0.0.1/ada.jpg" }),
  "submitTryOn 400 image_too_large": submit({
    garment_urls: [],
    garment_images_b64: [headed("\u0089PNG\r\n\u001A\n", 12_000_000)],
  }),
  "submitTryOn 400 fetch_failed": async () =>
    submit({ person_image_b64: pixel })(
      await createServer({
        images: "fetch",
        network: {
          resolve: async () => ["93.184.216.34"],
          connect: async () => new Response(null, { status: 404 }),
        },
      }),
    ),
  "submitTryOn 402 insufficient_credits": async ({ withKey }) =>
    (await withKey({ credits: 12 })).submit({ output_size: "4K" }),
  "submitTryOn 409 key_reused": async ({ call }) => {
    await call.submit({}, { "idempotency-key": "order-1" });
    return call.submit({ seed: 1 }, { "idempotency-key": "order-1" });
  },
  "listTryOns 200 page": listTwoOfThree,
  "listTryOns 200 last_page": ({ call }) => call.list(),
  "listTryOns 400 unknown_cursor": ({ call }) => call.list("?cursor=job_1"),
  "getTryOn 200 running": poll("30s", "1s", large, largeJob),
  "getTryOn 200 succeeded": poll("30s", "30s", large, largeJob),
  "getTryOn 200 failed": poll("300s", "30s", {}, blockedJob),
  "getTryOn 404 not_found": ({ call }) => call.poll("job_1"),
  "getAccount 200 labelled": async ({ withKey }) => {
    const call = await withKey({ name: "Web shop, production" });
    await call.submit();
    return call.account();
  },
  "getAccount 200 unlabelled": async ({ withKey }) => (await withKey({ credits: 0 })).account(),
  "purchaseCredits 200 succeeded": purchase("starter", "spt_1"),
  "purchaseCredits 200 processing": purchase("pro", "spt_processing_1"),
  "purchaseCredits 200 requires_action": purchase("scale", "spt_requires_action_1"),
  "purchaseCredits 400 unknown_pack": purchase("mega", "spt_1"),
  "purchaseCredits 400 invalid_token": purchase("starter", "card_1"),
  "purchaseCredits 402 declined": purchase("starter", "spt_declined_1"),
  "purchaseCredits 409 already_processed": async (server) => {
    await purchase("starter", "spt_1")(server);
    return purchase("starter", "spt_1")(server);
  },
  "200 packs": ({ anonymous }) => anonymous.get("/api/discovery"),
  "getDocs 200 page": ({ anonymous }) => anonymous.get("/api/docs"),
  "getOpenApi 200 beginning": async ({ anonymous }) => {
    const { status, body } = await anonymous.get<Record<string, Fields>>("/api/v1/openapi.json");
    const { title, version } = body["info"] ?? {};
    return { status, body: { openapi: body["openapi"], info: { title, version }, paths: {} } };
  },
  "401 missing_key": ({ anonymous }) => anonymous.account(),
  "401 unknown_key": ({ mock }) => caller(mock, "svc_live_unknown").account(),
  "403 disabled_key": ({ mock }) => caller(mock, mock.keys.disabled).account(),
  "403 ineligible_account": ({ mock }) => caller(mock, mock.keys.flagged).account(),
  "422 unknown_size": submit({ output_size: "8K" }),
  "422 two_problems": submit({ garment_urls: [5], seed: -1 }),
  "422 query": ({ call }) => call.list("?limit=many"),
  "429 rate_limited": exceedRateLimit,
  "500 server_error": async () => {
    const engine = { ...stockEngine(), prepare: () => Promise.reject(new Error("no model")) };
    return submit({})(await createServer({ engine }));
  },
  "503 unavailable": unavailable,
  "tryon.completed succeeded": event("30s", largeJob),
  "tryon.completed failed": event("300s", blockedJob),
};

/** Status and value of each example, by the key of its scenario. */
function examplesOfContract(): Readonly<Record<string, { status: number; body: unknown }>> {
  const titles = new Map<unknown, { title: string; shared: string; status: number }>();
  for (const { operationId, responses } of operations) {
    for (const [status, { content }] of responses) {
      for (const { examples = {} } of Object.values(content)) {
        for (const [name, { value }] of Object.entries(examples)) {
          const shared = `${status} ${name}`;
          const title = titles.has(value) ? shared : `${operationId} ${shared}`;
          titles.set(value, { title, shared, status: Number(status) });
        }
      }
    }
  }
  const events = webhooks.flatMap(({ title, request }) =>
    Object.entries(request["application/json"]?.examples ?? {}).map(
      ([name, { value }]) => [`${title} ${name}`, { status: 200, body: value }] as const,
    ),
  );
  const responses = Array.from(
    titles,
    ([body, { title, status }]) => [title, { status, body }] as const,
  );
  return Object.fromEntries([...responses, ...events]);
}

/** Replaces ids, signatures, hosts and the size of the image, which depend on the server and its seed. */
function withoutRandom(value: unknown): unknown {
  const ids: string[] = [];
  const text = JSON.stringify(value)
    .replaceAll(/job_[a-zA-Z0-9]{24}/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `job ${ids.indexOf(id) + 1}`;
    })
    .replaceAll(/"pi_\w+"/g, '"payment"')
    .replaceAll(/https:\/\/[^/"]+/g, "https://host")
    .replaceAll(/(?<=signature=)[0-9a-f]+/g, "signature")
    .replaceAll(/(?<="result_bytes":)[1-9]\d*/g, "1");
  return JSON.parse(text);
}

const examples = examplesOfContract();

describe("an example of the contract", () => {
  test("has a request in this file", () => {
    expect(Object.keys(scenarios).toSorted()).toEqual(Object.keys(examples).toSorted());
  });

  test.each(Object.entries(examples))(
    "is the response of the server: %s",
    async (title, example) => {
      covers(
        "content.disallowed.refused",
        "states.running.failed",
        "job.result-url.succeeded-only",
        "job.error-code.failed-only",
        "job.error-message.failed-only",
        "job.cost-credits.charged",
        "job.duration-ms.at-end",
        "job.completed-at.at-end",
        "states.sync.succeeded",
        "submit-response.result-url.sync-success-only",
        "errors.after-model.http-200",
        "submit-response.error-code.on-failure",
        "submit-response.error-message.on-failure",
        "submit.request-and-answer",
        "poll.request-and-answer",
        "job.job-id.form",
        "webhook.body.job-id",
        "webhook.body.duration-ms",
        "webhook.body.event",
        "webhook.body.status",
        "webhook.body.error-code",
        "webhook.body.error-message",
      );
      const response = await scenarios[title]?.(await createServer());
      const { body } = example;
      // The example of a page is its beginning.
      const sent =
        typeof body === "string" ? String(response?.body).slice(0, body.length) : response?.body;
      expect(response?.status).toBe(example.status);
      expect(withoutRandom(sent)).toEqual(withoutRandom(body));
    },
  );

  test.each(["401 missing_key", "429 rate_limited", "503 unavailable"])(
    "has the headers of the server: %s",
    async (title) => {
      const sent = await scenarios[title]?.(await createServer());
      const documented = operations[0]?.responses.get(title.slice(0, 3))?.headers ?? new Map();
      expect(documented.size).toBeGreaterThan(0);
      for (const [name, { example }] of documented) {
        expect(sent?.headers?.get(name), name).toBe(String(example));
      }
    },
  );
});
