import { InputError, type TryOnInput } from "@tryon/client";

import { isImpossible, notesTo } from "../errors/input-issue.ts";
import type { Deadline } from "../http/deadline.ts";
import {
  isPerson,
  isRepeatable,
  repeatableSource,
  type ImageContent,
} from "../images/image-source.ts";
import { parseInput, type ParsedInput } from "../jobs/parse-input.ts";
import { snapshotInput } from "./snapshot-input.ts";

/** Input that can be read repeatedly, and its digest. */
export interface DigestedInput {
  readonly input: TryOnInput;
  readonly parsed: ParsedInput;
  /** SHA-256 in hexadecimal. Inputs that are sent the same way have the same digest. */
  readonly digest: string;
}

/**
 * Copies an input, and digests its canonical fields and the bytes of each image. Reads one image at a time, since each is in
 * memory as a whole.
 *
 * @throws `invalid_input` if an image cannot be read
 */
export async function digestInput(given: TryOnInput, deadline: Deadline): Promise<DigestedInput> {
  // A snapshot of an input is an input.
  const snapshot = snapshotInput(given) as TryOnInput;
  const parsed = parseInput(snapshot);
  /** Images that could be read only once, by field. */
  const read = new Map<string, ImageContent>();
  const person: string[] = [];
  const garments: string[] = [];
  for (const image of parsed.images) {
    const source = await repeatableSource(image, notesTo(parsed.issues), deadline);
    if (source === undefined) throw new InputError(parsed.issues.filter(isImpossible));
    if (!isRepeatable(image)) read.set(source.field, source.content);
    (isPerson(image) ? person : garments).push(await digestOf(source.content));
  }
  // The fields are JSON.
  const fields = JSON.parse(parsed.fields) as unknown;
  const text = canonical({ fields, person, garments });
  const input = read.size > 0 ? withImages(snapshot, read) : snapshot;
  return { input, parsed, digest: await sha256(new TextEncoder().encode(text)) };
}

/** Replaces images of an input. */
function withImages(input: TryOnInput, read: ReadonlyMap<string, ImageContent>): TryOnInput {
  const { person, garments } = input;
  return {
    ...input,
    person: read.get("person") ?? person,
    garments: garments?.map((image, index) => read.get(`garments.${index}`) ?? image),
    // An image that was read is a Blob.
  } as TryOnInput;
}

async function digestOf(content: ImageContent): Promise<string> {
  if (typeof content === "string") return sha256(bytesOf(content));
  return sha256(await content.slice(0, content.size).arrayBuffer());
}

/** Decodes base64. Returns the bytes of the text itself if it is not canonical base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(base64);
    if (btoa(binary) === base64) return Uint8Array.from(binary, (one) => one.charCodeAt(0));
  } catch {
    // Invalid base64 is rejected before anything is sent.
  }
  return new TextEncoder().encode(base64);
}

async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns JSON with sorted properties. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
