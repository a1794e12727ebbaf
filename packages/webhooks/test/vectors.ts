import type { BodyPart, WebhookVector } from "@tryon/spec/vectors/webhook-vector";
import type { VerifyOptions, VerifyOutcome } from "../src/verification/verify.ts";

/** Verifier of the package under test. This file imports only its types, so it runs on any runtime. */
export interface Verifier {
  readonly verify: (options: VerifyOptions) => VerifyOutcome | Promise<VerifyOutcome>;
  /** If true, it accepts streams. Otherwise every body is in memory. */
  readonly readsStreams: boolean;
}

/** Results of all vectors. A vector passes if it does in every form. */
export interface ResultCounts {
  readonly cases: number;
  readonly passed: number;
  readonly verifications: number;
  /** First failures. */
  readonly failures: readonly string[];
}

type Bytes = Uint8Array<ArrayBuffer>;
type Body = VerifyOptions["body"];
type Pairs = WebhookVector["headers"];

export function bytesOf(parts: readonly BodyPart[]): Bytes {
  const pieces = parts.map((part) => {
    if ("utf8" in part) return new TextEncoder().encode(part.utf8);
    if ("repeat" in part) return new TextEncoder().encode(part.repeat.repeat(part.count));
    return Uint8Array.from(atob(part.base64), (letter) => letter.charCodeAt(0));
  });
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}

function cut(bytes: Bytes, positions: readonly number[]): Bytes[] {
  const ends = [...positions, bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Forms of a body in memory. `undefined` if a form cannot represent it. */
const inMemory: Record<string, (bytes: Bytes) => Body | undefined> = {
  "a Uint8Array": (bytes) => bytes,
  "an ArrayBuffer": (bytes) => bytes.slice().buffer,
  "a DataView into something longer": (bytes) => {
    const longer = new Uint8Array(bytes.length + 20).fill(0x61);
    longer.set(bytes, 7);
    return new DataView(longer.buffer, 7, bytes.length);
  },
  text: (bytes) => {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined;
    }
  },
};

const streamed: Record<string, (pieces: readonly Bytes[]) => Body> = {
  "a Request": (pieces) => {
    const body = new ReadableStream<Bytes>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    // Runtimes require `duplex`, which the types do not have.
    const init: RequestInit & { duplex: "half" } = { method: "POST", body, duplex: "half" };
    return new Request("https://shop.example", init);
  },
  "a Node request": (pieces) => ({
    headers: {},
    async *[Symbol.asyncIterator]() {
      yield* pieces;
    },
  }),
};

/** Forms of headers. `Headers` rejects some values and trims others, so those stay pairs. */
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

function optionsOf({ secrets, headers, settings }: WebhookVector) {
  const { maxBodyBytes, maxAge, now } = settings ?? {};
  return {
    headers,
    secrets: secrets.map((secret) => secret ?? undefined),
    maxBodyBytes,
    maxAge,
    now: now === undefined ? undefined : () => now,
  };
}

function formsOf(vector: WebhookVector, { readsStreams }: Verifier): Map<string, VerifyOptions> {
  const bytes = bytesOf(vector.body);
  const options = optionsOf(vector);
  const forms = new Map<string, VerifyOptions>();
  for (const [name, bodyOf] of Object.entries(inMemory)) {
    const body = bodyOf(bytes);
    // Both forms of the options have a body and headers.
    if (body !== undefined) forms.set(name, { ...options, body } as VerifyOptions);
  }
  for (const [name, headersOf] of Object.entries(headerForms)) {
    const headers = headersOf(vector.headers);
    forms.set(`headers as ${name}`, { ...options, body: bytes, headers } as VerifyOptions);
  }
  if (!readsStreams) return forms;
  const pieces = cut(bytes, vector.chunks ?? [Math.floor(bytes.length / 2)]);
  for (const [name, bodyOf] of Object.entries(streamed)) {
    forms.set(`${name} in pieces`, { ...options, body: bodyOf(pieces) } as VerifyOptions);
    forms.set(`${name} in one piece`, { ...options, body: bodyOf([bytes]) } as VerifyOptions);
  }
  return forms;
}

function same(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return Object.is(one, other);
  }
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(field(one, name), field(other, name)))
  );
}

function field(value: object, name: string): unknown {
  // The value is only compared.
  return (value as Record<string, unknown>)[name];
}

/** Verifies a vector in every form and describes the unexpected outcomes. */
export async function failuresOf(
  vector: WebhookVector,
  verifier: Verifier,
): Promise<{ readonly verifications: number; readonly failures: readonly string[] }> {
  const forms = formsOf(vector, verifier);
  const failures: string[] = [];
  for (const [form, options] of forms) {
    try {
      const outcome = await verifier.verify(options);
      const { message, ...rest } = { message: "none", ...outcome };
      const hasMessage = typeof message === "string" && message !== "";
      if (hasMessage && same(rest, vector.expected)) continue;
      failures.push(`${vector.id} with ${form}: ${JSON.stringify(rest).slice(0, 300)}`);
    } catch (error) {
      failures.push(`${vector.id} with ${form} threw ${String(error)}`);
    }
  }
  return { verifications: forms.size, failures };
}

export async function countResults(
  cases: readonly WebhookVector[],
  verifier: Verifier,
): Promise<ResultCounts> {
  let passed = 0;
  let verifications = 0;
  const failures: string[] = [];
  for (const vector of cases) {
    const one = await failuresOf(vector, verifier);
    verifications += one.verifications;
    failures.push(...one.failures);
    if (one.failures.length === 0) passed += 1;
  }
  return { cases: cases.length, passed, verifications, failures: failures.slice(0, 20) };
}
