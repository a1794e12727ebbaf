import { createServer } from "node:http";
import { readFileSync } from "node:fs";

import { cases, seed } from "@tryon/test-kit/cases";
import { startListening } from "@tryon/test-kit/listen";
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  record as recordOf,
  string,
  uint8Array,
  type Arbitrary,
} from "fast-check";
import { afterAll, expect, test } from "vitest";

import { exchangesIn, linesOf, newFile, newPath } from "../../test/files.ts";
import { formsOf } from "../../test/secrets.ts";
import { importRecording } from "../import/import-recording.ts";
import { readRecording } from "../import/read-recording.ts";
import { recorder } from "./recorder.ts";
import { startRecordingProxy } from "./recording-proxy.ts";

/** Random letters and digits with a prefix, as keys, tokens and signatures have. */
const token = (prefix: string, minLength = 24): Arbitrary<string> =>
  string({
    minLength,
    maxLength: 60,
    unit: constantFrom(
      ...Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    ),
  }).map((text) => `${prefix}${text}`);

const prose = string({
  minLength: 12,
  maxLength: 6_000,
  unit: constantFrom(...Array.from('abcdefghij klmnopq rstuvwxyz,.!? äöü€ 人物"\\/\n')),
}).filter((text) => text.trim().length > 12);

const value = string({
  minLength: 14,
  maxLength: 24,
  unit: constantFrom(...Array.from("abcdefgh0123456789:.-")),
})
  .filter((text) => /[a-h]/.test(text))
  .map((text) => `${text.slice(0, 12)} ${text.slice(12)}`);

const secrets = recordOf({
  value,
  job: token("job_"),
  key: constantFrom("svc_live_", "svc_test_").chain((prefix) => token(prefix)),
  secret: token("whsec_"),
  pageToken: token("spt_"),
  signature: token("", 32),
  client: token("pi_3Nx_secret_"),
  cookie: token("session_"),
  idempotencyKey: token("order-"),
  cursor: token("eyJ"),
  prompt: prose,
  note: prose,
  image: uint8Array({ minLength: 64, maxLength: 9_000 }).filter(
    (bytes) => new Set(bytes).size > 30,
  ),
});
type Secrets = typeof secrets extends Arbitrary<infer Value> ? Value : never;

/** Names of fields of the service, under which users can have values, too. */
const names = `
  capabilities code completed_at created_at currency error_code error_message event job_id loc mode msg name openapi
  output_size pack_slug resolution result_content_type size status type version`
  .trim()
  .split(/\s+/);

function named(given: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, given]));
}

const png = Buffer.from("89504e470d0a1a0a", "hex");

const bodies: readonly ((of: Secrets) => unknown)[] = [
  (of) => ({
    person_image_b64: `data:image/png;base64,${imageOf(of).toString("base64")}`,
    garment_images_b64: [imageOf(of).toString("base64"), `https://cdn.example/${of.signature}.png`],
    prompt: of.prompt,
    metadata: { order: of.note, key: of.key, nested: { list: [of.secret, of.client] } },
    webhook_url: `https://shop.example/hook?token=${of.signature}`,
  }),
  (of) => ({
    job_id: "job_1a2b",
    status: "completed",
    result_url: `https://results.example/${of.signature}/job.png?expires=1&signature=${of.signature}`,
    result_b64: imageOf(of).toString("base64"),
    error: `The prompt "${of.prompt}" of ${of.key} is refused.`,
  }),
  (of) => ({
    code: of.key,
    status: of.secret,
    type: of.pageToken,
    version: of.signature,
    client_secret: of.client,
    next_cursor: of.cursor,
    [of.signature]: of.note,
    kind: of.secret,
  }),
  (of) => [
    of.prompt,
    { detail: [{ loc: ["body", of.signature], msg: of.note, input: of.prompt }] },
  ],
  (of) => of.client,
  (of) => ({
    metadata: { ...named(of.value), job_id: of.job, nested: named([of.value, { id: of.value }]) },
    prompt: of.value,
    customer: { ...named(of.value), job_id: of.job },
    message: of.value,
    event: of.value,
    code: of.value,
  }),
  (of) => ({
    jobs: [
      { job_id: of.job, status: "succeeded", metadata: named(of.value), owner: named(of.value) },
    ],
    job_id: of.job,
    detail: [
      {
        loc: ["body", "metadata", of.value],
        type: "x",
        input: named(of.value),
        ctx: named(of.value),
      },
    ],
    capabilities: { agentic_commerce: named(of.value) },
    next_action: named(of.value),
    tryon_cost_credits: named(of.value),
  }),
];

const types = [
  "application/json",
  "image/png",
  "text/html",
  "text/plain",
  "",
  "application/x-other",
];

const exchanges = recordOf({
  request: integer({ min: 0, max: bodies.length - 1 }),
  response: integer({ min: 0, max: bodies.length - 1 }),
  requestType: constantFrom(...types),
  responseType: constantFrom(...types),
  status: constantFrom(200, 202, 400, 401, 422, 429, 500),
  isCut: constantFrom(false, false, false, true),
  chunk: integer({ min: 1, max: 700 }),
});
type Sent = typeof exchanges extends Arbitrary<infer Value> ? Value : never;

function imageOf({ image }: Secrets): Buffer {
  return Buffer.concat([png, image]);
}

/** Bytes of a body: JSON, or an image that claims to be one. A cut body is not valid. */
function bytesOf(index: number, type: string, isCut: boolean, of: Secrets): Buffer {
  const json = Buffer.from(JSON.stringify(bodies[index]?.(of)));
  const bytes = type === "image/png" ? imageOf(of) : json;
  return isCut ? bytes.subarray(0, bytes.length - 9) : bytes;
}

/** Server that answers with what the test wants next, in small chunks. */
const next: { sent?: Sent; of?: Secrets } = {};
const upstream = await startListening(
  createServer((request, response) => {
    request.resume().once("end", () => {
      const { sent, of } = next;
      if (!sent || !of || request.url === "/api/v1/account") {
        response.end();
        return;
      }
      response.writeHead(sent.status, {
        "content-type": sent.responseType,
        "set-cookie": of.cookie,
        "x-request-id": of.signature,
        [`x-${of.signature}`]: of.note.replaceAll(/[^\w]/g, ""),
      });
      const bytes = bytesOf(sent.response, sent.responseType, sent.isCut, of);
      for (let from = 0; from < bytes.length; from += sent.chunk) {
        response.write(bytes.subarray(from, from + sent.chunk));
      }
      response.end();
    });
  }),
);
afterAll(upstream.close);

function requestOf(base: string, sent: Sent, of: Secrets): Request {
  const paths = ["/api/v1/tryon", `/api/v1/tryon/${of.job}`, `/api/${of.signature}/files`];
  // The recorder refuses other paths with a live key.
  const path = of.key.startsWith("svc_live_") ? paths[0] : paths[sent.request % 3];
  const url = `${base}${path}?cursor=${of.cursor}&limit=2&status=completed&${of.signature}=${of.pageToken}`;
  return new Request(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${of.key}`,
      "content-type": sent.requestType,
      "idempotency-key": of.idempotencyKey,
      cookie: of.cookie,
      "x-page-token": of.pageToken,
    },
    body: Uint8Array.from(bytesOf(sent.request, sent.requestType, sent.isCut, of)),
  });
}

async function throughProxy(sent: readonly Sent[], of: Secrets): Promise<string> {
  const output = newPath("session.ndjson");
  const live = { allowLive: true, maxCredits: 1_000_000 };
  const proxy = await startRecordingProxy({ upstream: upstream.url, output, port: 0, ...live });
  for (const one of sent) {
    Object.assign(next, { sent: one, of });
    const response = await fetch(requestOf(proxy.url, one, of));
    await response.arrayBuffer();
  }
  await proxy.stop();
  return output;
}

async function throughMiddleware(sent: readonly Sent[], of: Secrets): Promise<string> {
  const file = newPath("session.ndjson");
  const record = recorder({ file, sample: 1 });
  for (const one of sent) {
    Object.assign(next, { sent: one, of });
    const response = await record(requestOf(upstream.url, one, of), (request) => fetch(request));
    await response.arrayBuffer();
  }
  await record.flush();
  return file;
}

/** Recordings of other tools. Some tools have secrets in further fields. */
const recordings: Readonly<
  Record<string, (exchanges: readonly Foreign[], of: Secrets) => unknown>
> = {
  HAR: (all, of) => ({
    log: { creator: { name: of.key }, entries: all.map((one) => entryOf(one, of)) },
  }),
  Polly: (all, of) => ({
    log: {
      ["_recordingName"]: of.note,
      creator: { name: "Polly.JS", comment: of.secret },
      entries: all.map((one) => ({ ...entryOf(one, of), ["_id"]: of.signature })),
    },
  }),
  nock: (all) =>
    all.map(({ url, headers, sent, status, received, receivedHeaders }) => ({
      scope: url.origin,
      path: `${url.pathname}${url.search}`,
      method: "POST",
      body: sent.toString(),
      reqheaders: Object.fromEntries(headers),
      status,
      response: received.toString("hex"),
      responseIsBinary: true,
      rawHeaders: receivedHeaders.flat(),
    })),
  newman: (all, of) => ({
    environment: { values: [{ key: "key", value: of.key }] },
    run: {
      executions: all.map(({ url, headers, sent, status, received, receivedHeaders }) => ({
        item: { name: of.note },
        request: {
          url: url.href,
          method: "POST",
          header: headers.map(([name, text]) => ({ key: name, value: text })),
          body: { mode: "raw", raw: sent.toString() },
        },
        response: {
          code: status,
          header: receivedHeaders.map(([name, text]) => ({ key: name, value: text })),
          stream: { type: "Buffer", data: [...received] },
        },
      })),
    },
  }),
};

interface Foreign {
  readonly url: URL;
  readonly headers: readonly [string, string][];
  readonly sent: Buffer;
  readonly status: number;
  readonly received: Buffer;
  readonly receivedHeaders: readonly [string, string][];
}

function entryOf(one: Foreign, of: Secrets): object {
  const pairs = (headers: Foreign["headers"]) =>
    headers.map(([name, text]) => ({ name, value: text }));
  return {
    startedDateTime: "2026-01-31T12:00:00Z",
    request: {
      method: "POST",
      url: one.url.href,
      headers: pairs(one.headers),
      postData: { text: one.sent.toString() },
    },
    response: {
      status: one.status,
      headers: pairs(one.receivedHeaders),
      content: { encoding: "base64", text: one.received.toString("base64") },
      ["_error"]: of.note,
    },
    comment: of.secret,
  };
}

function throughImport(tool: string) {
  return (sent: readonly Sent[], of: Secrets): string => {
    const exchangesOf = sent.map((one): Foreign => {
      const { url, headers } = requestOf("https://tryon.example", one, of);
      return {
        url: new URL(url),
        headers: [...headers],
        sent: bytesOf(one.request, one.requestType, one.isCut, of),
        status: one.status,
        received: bytesOf(one.response, one.responseType, one.isCut, of),
        receivedHeaders: [
          ["content-type", one.responseType],
          ["set-cookie", of.cookie],
          [`x-${of.signature}`, of.note],
        ],
      };
    });
    const file = newFile(JSON.stringify(recordings[tool]?.(exchangesOf, of)));
    const options = { baseUrl: "https://tryon.example" };
    return newFile(linesOf(importRecording(readRecording(file), options).exchanges));
  };
}

type Run = (sent: readonly Sent[], of: Secrets) => string | Promise<string>;

test.each<readonly [string, Run]>([
  ["proxy", throughProxy],
  ["middleware", throughMiddleware],
  ...Object.keys(recordings).map((tool) => [`import of ${tool}`, throughImport(tool)] as const),
])("the session file of the %s has no secret, text or image, plain or encoded", async (_, run) => {
  const property = asyncProperty(
    secrets,
    array(exchanges, { minLength: 1, maxLength: 4 }),
    async (of, sent) => {
      const file = await run(sent, of);
      const text = readFileSync(file, "utf8");
      expect(exchangesIn(file)).toHaveLength(sent.length);
      for (const [name, secret] of Object.entries({ ...of, image: of.image.subarray(9, 40) })) {
        for (const form of formsOf(secret)) {
          expect(text.includes(form), `${name}: ${form}`).toBe(false);
        }
      }
    },
  );
  await assert(property, { numRuns: cases(1_000, 30), seed });
});
