import { tracingChannel } from "node:diagnostics_channel";
import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, type TryOn, type TryOnOptions } from "../index.ts";
import { diagnostics, type JobMessage, type RequestMessage } from "../node/index.ts";
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
const signedUrl = `${personUrl}?${signature}`;
const image = Buffer.from(assetBytes("shirt.png")).toString("base64");
const secrets = ["secret0123456789", "whsec_hidden", "spt_hidden", "5ec12e7", image.slice(0, 100)];
/** Text that repeats every secret. */
const echo = `Bearer ${apiKey}, whsec_hidden, spt_hidden, https://store.example/a.png?${signature} and ${image}`;

/** Formats a value in every way in which it can reach a log. */
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
const calls = {
  run: (tryon) => tryon.run({ person: signedUrl, garments: [assetBytes("shirt.png")] }),
  submit: (tryon) => tryon.submit({ person_url: signedUrl, garment_urls: [shirtUrl] }),
  account: (tryon) => tryon.account.get(),
  job: (tryon) => tryon.jobs.get("job_1"),
  list: (tryon) => tryon.jobs.list().toArray(),
  wait: (tryon) => tryon.jobs.resume("job_1").result({ timeout: "3s" }),
  purchase: (tryon) => tryon.credits.purchase(purchase),
} satisfies Readonly<Record<string, (tryon: TryOn) => Promise<unknown>>>;

/** Opens a service with a client that does not retry, and the faults of its requests. */
function open(faults: readonly Fault[] = [], options: TryOnOptions = {}) {
  const service = createService();
  service.faults.push(...faults);
  return { ...service, tryon: service.client({ apiKey, retries: 0, ...options }) };
}

const forty = (fault: Fault): Fault[] => Array.from({ length: 40 }, () => fault);

/** Fails with an error that contains the request. */
async function failWithRequest(url: string, init: RequestInit): Promise<never> {
  const config = { url, headers: [...new Headers(init.headers)], body: init.body };
  const details = { request: config, code: `E_${apiKey}` };
  const cause = Object.assign(new Error(`Refused ${echo}`), details);
  throw Object.assign(new TypeError(`Failed: ${echo}`, { cause }), { config });
}

describe.each(Object.entries(calls))("an error of %s", (_name, call) => {
  it.each([200, 307, 400, 401, 403, 409, 422, 500])(
    "contains no secret that a %i repeats",
    async (status) => {
      const headers = {
        location: `https://a:${apiKey}@store.example/a?${signature}`,
        "x-request-id": apiKey,
      };
      const issue = { loc: ["body", echo], msg: echo, type: echo, input: image, ctx: { echo } };
      const bodies = status === 200 ? [] : [{ detail: echo }, { detail: [issue, issue] }];
      for (const body of [...bodies, `<h1>${echo}</h1>`, echo]) {
        const { error, tryon } = open(forty(respondWith(status, body, headers)));
        const failed = await error(call(tryon));
        expect(isTryOnError(failed)).toBe(true);
        expectNoSecret(failed);
      }
    },
  );

  it("contains no part of the request that an error of fetch has", async () => {
    const { error, tryon } = open([], { retries: 1, fetch: failWithRequest });
    const failed = await error(call(tryon));
    expect(isTryOnError(failed)).toBe(true);
    expectNoSecret(failed);
  });

  it.each([undefined, null, "offline", 7, { message: { toString: 1 } }, Object.create(null)])(
    "is typed if fetch throws %s",
    async (thrown: unknown) => {
      const { error, tryon } = open([], { fetch: () => Promise.reject(thrown) });
      expect(isTryOnError(await error(call(tryon)))).toBe(true);
    },
  );
});

it("removes the input that a validation issue repeats, and finds the issue by its field", async () => {
  const repeated = { input: image.slice(0, 12_000), msg: `bad: ${image.slice(0, 12_000)}` };
  const issue = { ...repeated, loc: ["body", "garment_urls", 0], type: "url_parsing" };
  const { error, tryon } = open([respondWith(422, { detail: [issue] })]);
  const failed = await error(calls.submit(tryon));
  if (!isTryOnError(failed, "validation_failed")) throw failed;
  expect(failed.field("garment_urls.0")).toMatchObject({ type: "url_parsing" });
  expect(failed.field("prompt")).toBeUndefined();
  expectNoSecret(failed);
});

it.each([200, 400, 402, 409, 500])(
  "keeps the token of a purchase secret while a wait for it receives a %i",
  async (status) => {
    const paid = { pack_slug: "demo", credits_added: 0, credits_remaining: 5 };
    const response = { ...paid, payment_intent_id: "pi_1", status: "processing" };
    const { run, tryon, faults } = open([respondWith(200, response)]);
    const bought = await run(tryon.credits.purchase(purchase));
    const body = status === 200 ? { ...response, status: "canceled" } : { detail: echo };
    faults.push(...forty(respondWith(status, body)));
    const settled = tryon.credits.waitForPurchase(bought, { timeout: "9s" });
    const end = await run(settled.catch((error: unknown) => error));
    expect(end).toBeDefined();
    for (const held of [end, bought, tryon.credits]) expectNoSecret(held);
  },
);

/** Returns a failed job with a text in each of its fields. */
const failedJob = <Text>(text: Text) => ({
  job_id: "job_1",
  status: "failed",
  error_code: text,
  error_message: text,
  message: text,
});

describe("a failed job whose reason contains the key", () => {
  const saved = { id: "job_1", data: failedJob(echo) };
  it.each<[string, (tryon: TryOn) => Promise<unknown>]>([
    ["a synchronous submission", (tryon) => tryon.run(input)],
    ["a poll", (tryon) => tryon.jobs.resume("job_1").result()],
    ["saved data", (tryon) => tryon.jobs.resume(saved).result()],
  ])("shows no secret after %s", async (_where, wait) => {
    const { error, tryon } = open([respondWith(200, failedJob(echo))]);
    const thrown = await error(wait(tryon));
    if (!isTryOnError(thrown, "job_failed")) throw thrown;
    for (const held of [thrown, thrown.job, thrown.job.data]) expectNoSecret(held);
    expect(thrown.error_message).toContain("Bearer [API key]");
  });

  it("shows no secret when it is fetched or listed", async () => {
    const list = { jobs: [failedJob(echo)], next_cursor: null };
    const { run, tryon } = open([respondWith(200, failedJob(echo)), respondWith(200, list)]);
    const jobs = [await run(tryon.jobs.get("job_1")), ...(await run(tryon.jobs.list().toArray()))];
    expect(jobs).toHaveLength(2);
    for (const held of jobs.flatMap((job) => [job, job.data])) expectNoSecret(held);
  });
});

it.each([
  ["null", null],
  ["an empty text", ""],
  ["a number", 17],
  ["an object with a wrong toString", { toString: 1 }],
  ["a list", ["a"]],
  ["very long", "word ".repeat(900)],
])("fails as job_failed with a short message if the reason is %s", async (what, reason) => {
  const { error, tryon } = open([respondWith(200, { ...failedJob(reason), message: echo })]);
  const thrown = await error(tryon.run(input));
  expect(thrown).toMatchObject({ code: "job_failed", isContentBlocked: false });
  expect(String(thrown)).toContain(what === "very long" ? "word word" : "unknown");
  expect(String(thrown).length).toBeLessThan(500);
  expect(JSON.stringify(thrown).length).toBeLessThan(2_500);
});

/** Encodings in which a service may repeat the key. */
const encodings = {
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
} satisfies Readonly<Record<string, (text: string) => string>>;

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

it.each(Object.entries(encodings))("removes a key that is repeated %s", async (_name, encode) => {
  // The second key has every character of base64.
  for (const key of [apiKey, "svc_live_>>>~~~???>>>~~~???"]) {
    const encoded = encode(key);
    const text = `No ${encoded}.`;
    const faults = [
      respondWith(400, { detail: text }, { "x-request-id": encoded }),
      respondWith(422, { detail: [{ loc: [encoded], msg: text, type: encoded }] }),
      respondWith(200, failedJob(text)),
    ];
    const { error, tryon } = open(faults, { apiKey: key });
    for (let count = 0; count < 3; count += 1) {
      const logged = shown(await error(tryon.run(input)));
      // The first and the last characters of base64 also depend on the text beside the key.
      expect(logged).not.toContain(encoded.slice(10, -10));
      expect(logged).toContain("[API key]");
    }
  }
});

const long = "z".repeat(79);

it.each<[name: string, text: string, redacted: string]>([
  ["the user of a URL", "see https://ada:pw@store.example/a ok", "see https://store.example/a ok"],
  ["the query of a URL", "see https://a.example/b?sig=1&x=23 ok", "see https://a.example/b?[…] ok"],
  ["a webhook secret", "of whsec_hidden-1 ok", "of whsec_[…] ok"],
  ["a payment token in capitals", "of SPT_HIDDEN ok", "of SPT_[…] ok"],
  ["base64 of 80 characters", `of ${long}z== ok`, "of […] ok"],
  ["nothing of 79 characters", `of ${long} ok`, `of ${long} ok`],
  ["white space", "a \t\n b", "a b"],
  ["nothing of 300 characters", `${"ab ".repeat(99)}abc`, `${"ab ".repeat(99)}abc`],
  ["what follows 300 characters", `${"ab ".repeat(100)}cd`, `${"ab ".repeat(100)}…`],
  ["what follows 4,000 characters", `a${" ".repeat(4_000)}b`, "a"],
  ["a key of another account", "of svc_test_other ok", "of [API key] ok"],
])("removes %s, and keeps the rest of a text", async (_name, text, redacted) => {
  const { error, tryon } = open([respondWith(400, { detail: text })]);
  const { message } = (await error(tryon.account.get())) as Error;
  const [, shownText] = /returned 400: (.*)\. Change the request\.$/.exec(message) ?? [];
  expect(shownText).toBe(redacted);
});

it.each<[apiKey: string, text: string, redacted: string]>([
  // Hexadecimal digits and base64 of a short key are also parts of other text.
  ["abc", "616263 and YWJj", "616263 and YWJj"],
  ["abcd", "61626364 and YWJjZA", "[API key] and YWJjZA"],
  ["abcdef", "YWJjZGVm and fmFiY2RlZg", "[API key] and fmFiY2RlZg"],
  ["~~~???>>>", "fn5-Pz8_Pj4-", "[API key]"],
  // The bytes before and after it change the first and the last characters.
  [apiKey, btoa(`~${apiKey}~`), `fn[API key]`],
])("removes the encoded key %s from %s, and nothing beside it", async (key, text, redacted) => {
  const { error, tryon } = open([respondWith(400, { detail: text })], { apiKey: key });
  const { message } = (await error(tryon.account.get())) as Error;
  expect(message).toContain(`returned 400: ${redacted}.`);
});

it.each(Object.entries(calls))(
  "gives loggers, tracers and middleware no secret of %s",
  async (_name, call) => {
    const lines: unknown[] = [];
    const messages: unknown[] = [];
    const contexts: unknown[] = [];
    const note = (message: unknown): unknown => messages.push({ ...Object(message) });
    const subscribers = { start: note, end: note, asyncStart: note, asyncEnd: note, error: note };
    for (const name of ["tryon:request", "tryon:job"]) {
      const channel = tracingChannel<unknown, RequestMessage | JobMessage>(name);
      channel.subscribe(subscribers);
      onTestFinished(() => channel.unsubscribe(subscribers));
    }
    const { client, error, mock, faults } = open();
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
    const log = (...values: unknown[]): unknown => lines.push(values);
    const tryon = client({
      apiKey,
      logger: { debug: log, info: log, warn: log, error: log },
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
      await error(call(tryon));
    }
    for (const seen of [lines, messages, contexts]) {
      expect(seen.length).toBeGreaterThan(5);
      for (const value of [seen, ...seen]) expectNoSecret(value);
    }
  },
);

it("shows no key in the objects of a client, and saves no URL of an image", async () => {
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => lines.push(...line);
  const { run, client, mock } = createService();
  const tryon = client({ logger: { debug: log, warn: log } });
  const tryOn = { ...input, garments: [assetBytes("shirt.png")] } as const;
  const result = await run(tryon.run(tryOn, { onUpdate: () => Promise.reject(new Error("oops")) }));
  await run(result.image.url());
  await run(result.image.bytes());
  const job = await run(tryon.submit(input));
  const { jobs, account, credits } = tryon;
  const parts = [tryon, createRawClient(tryon), jobs, account, credits, jobs.list(), lines];
  const results = [result, ...Object.values(result), job, job.toJSON()];
  for (const value of [...parts, ...results]) {
    const text = shown(value);
    expect(text).not.toContain(mock.keys.live);
    expect(text).not.toContain(image.slice(0, 100));
  }
  expect(inspect(lines, { depth: 10 })).not.toContain("signature=");
  expect(lines.filter((line) => line instanceof Error)).toHaveLength(1);
  expect(String(lines)).toContain(`GET of the image of ${result.job.id}`);
  expect(JSON.parse(JSON.stringify(tryon))).toEqual({ name: "TryOn", baseUrl: mock.baseUrl });
  expect(JSON.stringify(result.job)).not.toContain("result_url");
});

it("rejects a client or a job as input", async () => {
  const { error, run, tryon, sent } = createService();
  const job = await run(tryon.submit(input));
  const before = sent.length;
  // Programs without types can pass any value.
  for (const wrong of [tryon, job] as unknown as (typeof input)[]) {
    const garments = [wrong as unknown as string];
    for (const tryOn of [wrong, { ...input, garments }]) {
      expect(await error(tryon.submit(tryOn))).toMatchObject({ code: "invalid_input" });
    }
  }
  expect(sent).toHaveLength(before);
});
