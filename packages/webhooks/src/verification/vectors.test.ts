import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { BodyPart, WebhookVector } from "../../../../spec/vectors/webhook-vector.ts";
import { safeVerify, sign } from "../index.ts";
import type { NodeRequest, VerifyOptions, VerifyOutcome } from "../index.ts";
import { safeVerifySync } from "../node/index.ts";
import type { VerifySyncOptions } from "../node/index.ts";

const file = new URL("../../../../spec/vectors/webhooks.json", import.meta.url);
// The form of the file is what its own test says.
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: WebhookVector[] };
const good = cases.filter(({ expected }) => expected.ok);

type Bytes = Uint8Array<ArrayBuffer>;

function bytesOf(parts: readonly BodyPart[]): Bytes {
  const pieces = parts.map((part) => {
    if ("utf8" in part) return Buffer.from(part.utf8);
    if ("base64" in part) return Buffer.from(part.base64, "base64");
    return Buffer.from(part.repeat.repeat(part.count));
  });
  return new Uint8Array(Buffer.concat(pieces));
}

/** The same bytes in every form that is in memory. */
const inMemory: Record<string, (bytes: Bytes) => ArrayBuffer | ArrayBufferView> = {
  "a Uint8Array": (bytes) => bytes,
  "an ArrayBuffer": (bytes) => bytes.buffer,
  "a DataView into something longer": (bytes) => {
    const longer = new Uint8Array(bytes.length + 20).fill(0x61);
    longer.set(bytes, 7);
    return new DataView(longer.buffer, 7, bytes.length);
  },
};

/** The same in every form that has to be read. */
const unread: Record<string, (bytes: Bytes) => Request | NodeRequest> = {
  "a Request": (bytes) => new Request("https://shop.example", { method: "POST", body: bytes }),
  "a Node request": (bytes) => ({
    headers: {},
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < bytes.length; at += 65_521) yield bytes.subarray(at, at + 65_521);
    },
  }),
};

/** The same in every form that a framework keeps. */
const kept: Record<string, (bytes: Bytes) => VerifySyncOptions["body"]> = {
  "a request with its rawBody": (bytes) => ({
    headers: {},
    rawBody: bytes,
    body: { parsed: true },
  }),
  "a request with bytes as its body": (bytes) => ({ headers: {}, body: bytes }),
};

type Pairs = WebhookVector["headers"];

/** The same headers in every form, if it can hold them: `Headers` refuses some, and trims others. */
const headerForms: Record<string, (pairs: Pairs) => VerifyOptions["headers"]> = {
  pairs: (pairs) => pairs,
  "a Headers object": (pairs) => {
    try {
      const headers = new Headers(pairs.map(([name, value]): [string, string] => [name, value]));
      return pairs.every(([name, value]) => headers.get(name)?.includes(value)) ? headers : pairs;
    } catch {
      return pairs;
    }
  },
  "headers of Node": (pairs) => {
    const headers: Record<string, string> = {};
    for (const [mixed, value] of pairs) {
      const name = mixed.toLowerCase();
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    return headers;
  },
  "a record of lists": (pairs) => {
    const headers: Record<string, string[]> = {};
    for (const [name, value] of pairs) (headers[name] ??= []).push(value);
    return headers;
  },
};

type AnyHeaders = VerifyOptions["headers"];
type Verifier = (
  vector: WebhookVector,
  body: unknown,
  headers?: AnyHeaders,
) => Promise<VerifyOutcome>;

function optionsOf(vector: WebhookVector, body: unknown, headers: AnyHeaders) {
  const { maxBodyBytes, maxAge, now } = vector.settings ?? {};
  const secrets = vector.secrets.map((secret) => secret ?? undefined);
  const clock = now === undefined ? undefined : () => now;
  return { body, headers, secrets, maxBodyBytes, maxAge, now: clock };
}

// Whichever form the options have, they hold both a body and headers.
const webCrypto: Verifier = async (vector, body, headers = vector.headers) =>
  safeVerify(optionsOf(vector, body, headers) as VerifyOptions);
const nodeCrypto: Verifier = async (vector, body, headers = vector.headers) =>
  safeVerifySync(optionsOf(vector, body, headers) as VerifySyncOptions);

const backEnds = [
  { name: "WebCrypto", outcomeOf: webCrypto, bodies: { ...inMemory, ...unread } },
  { name: "node:crypto", outcomeOf: nodeCrypto, bodies: { ...inMemory, ...kept } },
];

describe.each(backEnds)("by $name", ({ outcomeOf, bodies }) => {
  it.each(cases)("$id: $name", async (vector) => {
    const bytes = bytesOf(vector.body);
    for (const [form, bodyOf] of Object.entries(bodies)) {
      const outcome = await outcomeOf(vector, bodyOf(bytes));
      expect(outcome, `with ${form}`).toMatchObject(vector.expected);
    }
    for (const [form, headersOf] of Object.entries(headerForms)) {
      const outcome = await outcomeOf(vector, bytes, headersOf(vector.headers));
      expect(outcome, `with ${form}`).toMatchObject(vector.expected);
    }
  });

  it.each(good)("$id gives those fields and no more", async (vector) => {
    expect(await outcomeOf(vector, bytesOf(vector.body))).toStrictEqual(vector.expected);
  });
});

it.each(good)("$id is signed as it was", async ({ secrets, body, headers, expected }) => {
  const secret = expected.ok ? secrets[expected.secretIndex] : undefined;
  const sent = headers.find(([name]) => name.toLowerCase() === "x-service-signature")?.[1];
  expect(await sign({ body: bytesOf(body), secret: secret ?? "" })).toBe(sent?.toLowerCase());
});
