import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { BodyPart, WebhookVector } from "../../../../spec/vectors/webhook-vector.ts";
import { safeVerify, sign } from "../index.ts";
import type { VerifyOptions, VerifyOutcome } from "../index.ts";

const file = new URL("../../../../spec/vectors/webhooks.json", import.meta.url);
// The form of the file is what its own test says.
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: WebhookVector[] };

function bytesOf(parts: readonly BodyPart[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => {
    if ("utf8" in part) return Buffer.from(part.utf8);
    if ("base64" in part) return Buffer.from(part.base64, "base64");
    return Buffer.from(part.repeat.repeat(part.count));
  });
  return new Uint8Array(Buffer.concat(pieces));
}

/** The same bytes in every form that a body may have. */
const bodies: Record<string, (bytes: Uint8Array<ArrayBuffer>) => VerifyOptions["body"]> = {
  "a Uint8Array": (bytes) => bytes,
  "an ArrayBuffer": (bytes) => bytes.buffer,
  "a DataView into something longer": (bytes) => {
    const longer = new Uint8Array(bytes.length + 20).fill(0x61);
    longer.set(bytes, 7);
    return new DataView(longer.buffer, 7, bytes.length);
  },
  "a Request": (bytes) => new Request("https://shop.example", { method: "POST", body: bytes }),
  "a Node request": (bytes) => ({
    headers: {},
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < bytes.length; at += 65_521) yield bytes.subarray(at, at + 65_521);
    },
  }),
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

async function outcomeOf(
  vector: WebhookVector,
  body: VerifyOptions["body"],
  headers: VerifyOptions["headers"] = vector.headers,
): Promise<VerifyOutcome> {
  const { maxBodyBytes, maxAge, now } = vector.settings ?? {};
  const secrets = vector.secrets.map((secret) => secret ?? undefined);
  const clock = now === undefined ? undefined : () => now;
  // Whichever of the two forms the options have, they hold both a body and headers.
  return safeVerify({ body, headers, secrets, maxBodyBytes, maxAge, now: clock } as VerifyOptions);
}

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

const good = cases.filter(({ expected }) => expected.ok);

it.each(good)("$id gives those fields and no more", async (vector) => {
  expect(await outcomeOf(vector, bytesOf(vector.body))).toStrictEqual(vector.expected);
});

it.each(good)("$id is signed as it was", async ({ secrets, body, headers, expected }) => {
  const secret = expected.ok ? secrets[expected.secretIndex] : undefined;
  const sent = headers.find(([name]) => name.toLowerCase() === "x-service-signature")?.[1];
  expect(await sign({ body: bytesOf(body), secret: secret ?? "" })).toBe(sent?.toLowerCase());
});
