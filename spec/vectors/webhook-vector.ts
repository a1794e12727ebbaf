import { createHmac } from "node:crypto";

/** A piece of a body. A body is all of its pieces, one after the other. */
export type BodyPart =
  | { readonly utf8: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly count: number };

export type Expected =
  | {
      readonly ok: true;
      readonly secretIndex: number;
      readonly event: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly code: string };

/** One delivery and what has to become of it. `null` among the secrets is one that is not set. */
export interface WebhookVector {
  readonly id: string;
  readonly name: string;
  readonly secrets: ReadonlyArray<string | null>;
  readonly body: readonly BodyPart[];
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Where a body that is streamed is cut into chunks. A position that comes twice cuts an empty one. */
  readonly chunks?: readonly number[];
  readonly settings?: {
    readonly maxBodyBytes?: number;
    readonly maxAge?: number;
    readonly now?: number;
  };
  readonly expected: Expected;
}

/** What a case says differently from a plain delivery that is right. */
type Difference = Partial<Omit<WebhookVector, "id" | "name" | "expected">>;

export const secret = "whsec_5f2b8c1d9e7a4036";

export const completed = {
  event: "tryon.completed",
  job_id: "job_7Hk2mQ9x",
  status: "succeeded",
  result_url: "https://results.example/job_7Hk2mQ9x.png?signature=abc",
  error_code: null,
  error_message: null,
  duration_ms: 8421,
  completed_at: "2026-03-01T12:00:08Z",
};

export const accepted: Expected = { ok: true, secretIndex: 0, event: completed };

export function refused(code: string): Expected {
  return { ok: false, code };
}

export function vector(
  id: string,
  name: string,
  expected: Expected,
  { secrets = [secret], body = json(completed), headers, chunks, settings }: Difference = {},
): WebhookVector {
  const rest = {
    ...(chunks === undefined ? {} : { chunks }),
    ...(settings === undefined ? {} : { settings }),
  };
  return { id, name, secrets, body, headers: headers ?? signed(body), ...rest, expected };
}

export function json(value: unknown): BodyPart[] {
  return [{ utf8: JSON.stringify(value) }];
}

export function hex(...bytes: string[]): BodyPart[] {
  return [{ base64: Buffer.from(bytes.join("").replaceAll(" ", ""), "hex").toString("base64") }];
}

export function bytesOf(body: readonly BodyPart[]): Buffer {
  return Buffer.concat(
    body.map((part) => {
      if ("utf8" in part) return Buffer.from(part.utf8, "utf8");
      if ("base64" in part) return Buffer.from(part.base64, "base64");
      return Buffer.from(part.repeat.repeat(part.count), "utf8");
    }),
  );
}

/** The right signature, by node:crypto: not by what these cases are there to test. */
export function signature(body: readonly BodyPart[], key: string | Uint8Array = secret): string {
  return `sha256=${createHmac("sha256", key).update(bytesOf(body)).digest("hex")}`;
}

export function signed(
  body: readonly BodyPart[],
  key: string | Uint8Array = secret,
): Array<readonly [string, string]> {
  return [["X-Service-Signature", signature(body, key)]];
}

/** The same bytes with one bit the other way. Bit 0 is the lowest of the first byte. */
export function withBitFlipped(bytes: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  const at = Math.floor(bit / 8);
  flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (bit % 8)), at);
  return flipped;
}

/** Numbers below a limit, the first and the last among them, as far apart as they are many. */
export function spread(count: number, limit: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.round((index * (limit - 1)) / (count - 1)),
  );
}
