import { expect } from "vitest";

import { TryOn, type ImageInput, type SubmitOptions, type TryOnOptions } from "../src/index.ts";
import { failure, shirtUrl } from "./service.ts";

export interface RecordedBody {
  readonly kind: "string" | "Blob" | "bytes" | "stream";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** Creates a client without a network: its `fetch` records requests, and returns a job with these statuses in turn. */
export function recordingClient(
  statuses: number[] = [],
  options: TryOnOptions = {},
): { tryon: TryOn; gathered: RecordedBody[] } {
  const gathered: RecordedBody[] = [];
  const fetch = async (_url: string, { body, headers }: RequestInit): Promise<Response> => {
    const form = body instanceof Uint8Array ? "bytes" : "stream";
    const kind = typeof body === "string" ? "string" : body instanceof Blob ? "Blob" : form;
    const bytes = new Uint8Array(await new Response(body ?? "").arrayBuffer());
    gathered.push({ kind, bytes, headers: new Headers(headers) });
    const job = { job_id: "job_1", status: "running", detail: "no" };
    return Response.json(job, { status: statuses.shift() ?? 200 });
  };
  const access = { apiKey: "svc_test_1", baseUrl: "https://tryon.example" };
  const tryon = new TryOn({ ...access, random: () => 0.001, fetch, ...options });
  return { tryon, gathered };
}

/** Returns the error of a submission with any person, which was not sent. */
export async function rejectionOf(
  person: unknown,
  options: SubmitOptions = {},
  garment: unknown = shirtUrl,
): Promise<unknown> {
  const { tryon, gathered } = recordingClient();
  // JavaScript callers can pass anything.
  const input = { person: person as ImageInput, garments: [garment as ImageInput] } as const;
  const error = await failure(tryon.submit(input, options));
  expect(gathered).toEqual([]);
  return error;
}

export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  // Every body of the client is a JSON object.
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}

/** Creates an image of at least 6 bytes that begins like a JPEG without showing its end. The bytes are the same each time. */
export function jpegBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) bytes[index] = index * 73 + (index >> 8);
  bytes.set([0xff, 0xd8, 0xff, 0].slice(0, length));
  return bytes;
}

/** Blob that counts its reads, and fails from the given read on. */
export class CountedBlob extends Blob {
  readings = 0;
  readonly failsAt: number;

  constructor(bytes: Uint8Array<ArrayBuffer>, failsAt = Number.POSITIVE_INFINITY) {
    super([bytes]);
    this.failsAt = failsAt;
  }

  override slice(start?: number, end?: number): Blob {
    const piece = super.slice(start, end);
    this.readings += 1;
    if (this.readings >= this.failsAt) piece.arrayBuffer = failedRead;
    return piece;
  }

  /** Reads pieces of 64 KiB, as of a file. */
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    let start = 0;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      const piece = this.slice(start, (start += 65_536));
      const bytes = new Uint8Array(await piece.arrayBuffer());
      if (bytes.length === 0) controller.close();
      else controller.enqueue(bytes);
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }
}

const failedRead = (): Promise<never> =>
  Promise.reject(new DOMException("changed", "NotReadableError"));
