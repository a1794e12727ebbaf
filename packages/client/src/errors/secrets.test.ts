import { tracingChannel } from "node:diagnostics_channel";
import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, type TryOn } from "../index.ts";
import { diagnostics, type RequestMessage } from "../node/index.ts";
import {
  respondWith,
  assetBytes,
  createService,
  input,
  personUrl,
  shirtUrl,
  type Fault,
} from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

const apiKey = "svc_live_secret0123456789";
const signature = "X-Amz-Signature=5ec12e7";
const image = Buffer.from(assetBytes("shirt.png")).toString("base64");
const secrets = ["secret0123456789", "whsec_hidden", "spt_hidden", "5ec12e7", image.slice(0, 100)];
/** What a careless service repeats. */
const echo = `Bearer ${apiKey}, whsec_hidden, spt_hidden, https://store.example/a.png?${signature} and ${image}`;

/** Every way in which something caught or held ends up in a log. */
function shown(value: unknown): string {
  const views = [
    String(value),
    inspect(value),
    inspect(value, { showHidden: true, depth: 10, getters: true }),
    inspect(value, { showHidden: true, depth: null }),
    JSON.stringify(value),
    JSON.stringify({ ...Object(value) }),
    inspect(Object.getOwnPropertyDescriptors(Object(value)), { depth: 10 }),
  ];
  if (value instanceof Error) {
    views.push(value.stack ?? "", inspect(structuredClone(value)), shown(value.cause));
    if (isTryOnError(value))
      views.push(JSON.stringify(value.toJSON()), value.field("a")?.message ?? "");
  }
  return views.join("\n");
}

function expectNoSecret(value: unknown): void {
  const text = shown(value);
  for (const secret of secrets) expect(text).not.toContain(secret);
}

const purchase = { pack_slug: "demo", shared_payment_granted_token: "spt_hidden" } as const;
const calls: Readonly<Record<string, (tryon: TryOn) => Promise<unknown>>> = {
  run: (tryon) =>
    tryon.run({
      ...input,
      person: `${personUrl}?${signature}`,
      garments: [assetBytes("shirt.png")],
    }),
  submit: (tryon) =>
    tryon.submit({ person_url: `${personUrl}?${signature}`, garment_urls: [shirtUrl] }),
  account: (tryon) => tryon.account.get(),
  job: (tryon) => tryon.jobs.get("job_1"),
  list: (tryon) => tryon.jobs.list().toArray(),
  wait: (tryon) => tryon.jobs.resume("job_1").result({ timeout: "3s" }),
  purchase: (tryon) => tryon.credits.purchase(purchase),
};

describe.each(Object.keys(calls))("an error of %s", (name) => {
  const call = (tryon: TryOn): Promise<unknown> => calls[name]?.(tryon) ?? Promise.resolve();

  it.each([200, 307, 400, 401, 403, 409, 422, 500])(
    "holds no secret that a %i repeats",
    async (status) => {
      const headers = {
        location: `https://a:${apiKey}@store.example/a?${signature}`,
        "x-request-id": apiKey,
      };
      const issue = { loc: ["body", echo], msg: echo, type: echo, input: image, ctx: { echo } };
      const answers = status === 200 ? [] : [{ detail: echo }, { detail: [issue, issue] }];
      for (const body of [...answers, `<h1>${echo}</h1>`, echo]) {
        const { error, client, faults } = createService();
        faults.push(...Array.from({ length: 40 }, () => respondWith(status, body, headers)));
        const failed = await error(call(client({ apiKey, retries: 0 })));
        expect(isTryOnError(failed)).toBe(true);
        expectNoSecret(failed);
      }
    },
  );

  it("holds nothing of the request that a fetch throws", async () => {
    const { error, client } = createService();
    const tryon = client({
      apiKey,
      retries: 1,
      fetch: async (url, init) => {
        const request = { url, headers: [...new Headers(init.headers)], body: init.body };
        const deeper = Object.assign(new Error(`Refused ${echo}`), {
          request,
          code: `E_${apiKey}`,
        });
        throw Object.assign(new TypeError(`Failed: ${echo}`, { cause: deeper }), {
          config: request,
        });
      },
    });
    const failed = await error(call(tryon));
    expect(isTryOnError(failed)).toBe(true);
    expectNoSecret(failed);
  });

  it.each([undefined, null, "offline", 7, { message: { toString: 1 } }, Object.create(null)])(
    "is typed when a fetch throws %s",
    async (thrown: unknown) => {
      const { error, client } = createService();
      const tryon = client({ retries: 0, fetch: () => Promise.reject(thrown) });
      expect(isTryOnError(await error(call(tryon)))).toBe(true);
    },
  );
});

it.each([200, 400, 402, 409, 500])(
  "what becomes of a purchase holds no token, also where a %i repeats it",
  async (status) => {
    const { run, client, faults } = createService();
    const tryon = client({ apiKey, retries: 0 });
    const said = {
      payment_intent_id: "pi_1",
      status: "processing",
      pack_slug: "demo",
      credits_added: 0,
      credits_remaining: 5,
    };
    faults.push(respondWith(200, said));
    const bought = await run(tryon.credits.purchase(purchase));
    expectNoSecret(bought);
    const body = status === 200 ? { ...said, status: "canceled" } : { detail: echo };
    faults.push(...Array.from({ length: 40 }, () => respondWith(status, body)));
    const settled = tryon.credits.waitForPurchase(bought, { timeout: "9s" });
    const end = await run(settled.catch((error: unknown) => error));
    expect(end).toBeDefined();
    for (const held of [end, bought, tryon.credits]) expectNoSecret(held);
  },
);

describe("a job that failed with the key in its reason", () => {
  const failed = {
    job_id: "job_1",
    status: "failed",
    error_code: echo,
    error_message: echo,
    message: echo,
  };

  it.each<[string, (tryon: TryOn) => Promise<unknown>]>([
    ["a held answer", (tryon) => tryon.run(input)],
    ["a look at it", (tryon) => tryon.jobs.resume("job_1").result()],
    [
      "what was saved of it",
      (tryon) => tryon.jobs.resume({ id: "job_1", data: { ...failed } }).result(),
    ],
  ])("shows it nowhere after %s", async (_where, wait) => {
    const { error, client, faults } = createService();
    faults.push(respondWith(200, failed));
    const thrown = await error(wait(client({ apiKey })));
    if (!isTryOnError(thrown, "job_failed")) throw thrown;
    expectNoSecret(thrown);
    for (const held of [thrown.job, thrown.job.data]) expectNoSecret(held);
    expect(thrown.error_message).toContain("Bearer [API key]");
  });

  it("shows it nowhere in lists and single looks", async () => {
    const { run, client, faults } = createService();
    const tryon = client({ apiKey });
    faults.push(respondWith(200, failed), respondWith(200, { jobs: [failed], next_cursor: null }));
    const jobs = [await run(tryon.jobs.get("job_1")), ...(await run(tryon.jobs.list().toArray()))];
    expect(jobs).toHaveLength(2);
    for (const job of jobs) {
      expectNoSecret(job);
      expectNoSecret(job.data);
    }
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["no text", ""],
    ["a number", 17],
    ["an object that is no text", { toString: 1 }],
    ["a list", ["a"]],
    ["very long", "word ".repeat(900)],
  ])("is job_failed with a bounded message when the reason is %s", async (_what, reason) => {
    const { error, tryon, faults } = createService();
    faults.push(respondWith(200, { ...failed, error_code: reason, error_message: reason }));
    const thrown = await error(tryon.run(input));
    expect(thrown).toMatchObject({ code: "job_failed", isContentBlocked: false });
    expect(String(thrown).length).toBeLessThan(500);
    expect(JSON.stringify(thrown).length).toBeLessThan(2_500);
  });
});

/** Ways in which a service may write the key that it repeats. */
const written: Readonly<Record<string, (text: string) => string>> = {
  "in capitals": (text) => text.toUpperCase(),
  "percent-encoded": (text) => Array.from(text, (one) => `%${hex(one)}`).join(""),
  "percent-encoded in part, in capitals": (text) =>
    text.replaceAll(/[_v2]/g, (one) => `%${hex(one).toUpperCase()}`),
  "percent-encoded twice": (text) => Array.from(text, (one) => `%25${hex(one)}`).join(""),
  "in hex": hex,
  "in hex, in capitals": (text) => hex(text).toUpperCase(),
  "in base64": base64,
  "in base64 with its scheme": (text) => base64(`Bearer ${text}`),
  "in base64 with its user": (text) => base64(`me:${text}:`),
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in base64 in a URL": (text) => encodeURIComponent(base64(text)),
};

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

it.each(Object.keys(written))("shows no key that the service repeats %s", async (form) => {
  // The second has every character of base64.
  for (const key of [apiKey, "svc_live_>>>~~~???>>>~~~???"]) {
    const repeated = written[form]?.(key) ?? "";
    const said = `No ${repeated}.`;
    const { error, client, faults } = createService();
    const tryon = client({ apiKey: key, retries: 0 });
    const failed = {
      job_id: "job_1",
      status: "failed",
      error_code: said,
      error_message: said,
      message: said,
    };
    faults.push(
      respondWith(400, { detail: said }, { "x-request-id": repeated }),
      respondWith(422, { detail: [{ loc: [repeated], msg: said, type: repeated }] }),
      respondWith(200, failed),
    );
    for (let count = 0; count < 3; count += 1) {
      const text = shown(await error(tryon.run(input)));
      // The first and the last characters of base64 also depend on the text beside the key.
      expect(text).not.toContain(repeated.slice(10, -10));
      expect(text).toContain("[API key]");
    }
  }
});

describe("what looks on", () => {
  const levels = ["debug", "info", "warn", "error"] as const;
  const channel = tracingChannel<unknown, RequestMessage>("tryon:request");

  it.each(Object.keys(calls))("is told no secret of %s, however it goes", async (name) => {
    const lines: unknown[] = [];
    const messages: unknown[] = [];
    const contexts: unknown[] = [];
    const note = (message: unknown): unknown => messages.push({ ...Object(message) });
    const subscribers = { start: note, end: note, asyncStart: note, asyncEnd: note, error: note };
    channel.subscribe(subscribers);
    onTestFinished(() => channel.unsubscribe(subscribers));
    const service = createService();
    const { error, mock, faults } = service;
    const careless = Object.assign(new Error(`Failed: ${echo}`), { code: `E_${apiKey}`, echo });
    const nested = Object.assign(new TypeError("fetch failed", { cause: careless }), { echo });
    const ends: Fault[] = [
      respondWith(500, { detail: echo }),
      respondWith(400, `<h1>${echo}</h1>`),
      respondWith(429, { detail: echo }, { "retry-after": "1" }),
      respondWith(307, echo, { location: `https://store.example/?${signature}&key=${apiKey}` }),
      () => Promise.reject(careless),
      () => Promise.reject(nested),
      async () => new Response(echo),
    ];
    const take = (...values: unknown[]): unknown => lines.push(values);
    const tryon = service.client({
      apiKey,
      logger: Object.fromEntries(levels.map((level) => [level, take])),
      middleware: [
        diagnostics({ clock: mock.clock }),
        (request, next, context) => {
          contexts.push(context, request.url.split("?")[0], [...request.headers]);
          return next(request);
        },
      ],
    });
    for (const [index] of ends.entries()) {
      faults.splice(0, 99, ...ends.slice(index), ...ends.slice(0, index), ...ends);
      await error(calls[name]?.(tryon) ?? Promise.resolve());
    }
    for (const seen of [lines, messages, contexts]) expect(seen.length).toBeGreaterThan(5);
    for (const seen of [lines, messages, contexts]) {
      expectNoSecret(seen);
      for (const one of seen) expectNoSecret(one);
    }
  });
});

it("keeps the words and the code of what a fetch throws", async () => {
  const { error, client } = createService();
  const cause = Object.assign(new Error("connect"), { code: "ECONNRESET" });
  const tryon = client({
    retries: 0,
    fetch: () => Promise.reject(new TypeError("fetch failed", { cause })),
  });
  expect(await error(tryon.account.get())).toMatchObject({
    code: "connection_failed",
    message: expect.stringContaining("ECONNRESET"),
    cause: { message: "fetch failed", code: "ECONNRESET" },
  });
});

const onUpdate = (): never => {
  throw new Error("oops");
};

it("shows no key in anything that a client hands out", async () => {
  const lines: unknown[] = [];
  const logger = { warn: (...line: unknown[]) => lines.push(...line) };
  const { run, client, mock } = createService();
  const tryon = client({ apiKey: mock.keys.live, logger });
  const result = await run(
    tryon.run({ ...input, garments: [assetBytes("shirt.png")] }, { onUpdate }),
  );
  await run(result.image.url());
  const late = await run(tryon.submit(input));
  const held: unknown[] = [
    tryon,
    createRawClient(tryon),
    tryon.jobs,
    tryon.account,
    tryon.credits,
    tryon.jobs.list(),
    result,
    result.job,
    result.image,
    result.receipt,
    late,
    late.toJSON(),
    lines,
  ];
  for (const value of held) {
    // What the raw client is made of is functions, and its JSON nothing.
    const text = [
      inspect(value, { showHidden: true, depth: 10 }),
      JSON.stringify(value) ?? "",
      JSON.stringify({ ...Object(value) }),
      String(value),
    ].join("\n");
    expect(text).not.toContain(mock.keys.live);
    expect(text).not.toContain(image.slice(0, 100));
  }
  expect(lines).not.toEqual([]);
  expect(JSON.parse(JSON.stringify(tryon))).toEqual({ name: "TryOn", baseUrl: mock.baseUrl });
  // Once an address has been given out it is the caller's; a saved job holds none.
  expect(JSON.stringify(result.job)).not.toContain("result_url");
});

it("refuses a client, or a job, in the place of an input", async () => {
  const { error, run, tryon, sent } = createService();
  const job = await run(tryon.submit(input));
  const before = sent.length;
  // Somebody without types may pass anything.
  for (const wrong of [tryon, job] as unknown as (typeof input)[]) {
    expect(await error(tryon.submit(wrong))).toMatchObject({ code: "invalid_input" });
    expect(
      await error(tryon.submit({ ...input, garments: [wrong as unknown as string] })),
    ).toMatchObject({
      code: "invalid_input",
    });
  }
  expect(sent).toHaveLength(before);
});
