import { TryOn, type TryOnOptions } from "../src/index.ts";

/** Request with its body as bytes. */
export interface RecordedBody {
  readonly kind: "string" | "Blob" | "stream";
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** Creates a client without a network. Its `fetch` records requests, and responds with these statuses and then a job. */
export function recordingClient(
  statuses: number[] = [],
  options: TryOnOptions = {},
): { tryon: TryOn; gathered: RecordedBody[] } {
  const gathered: RecordedBody[] = [];
  const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
    const { body } = init;
    const kind =
      typeof body === "string" ? "string" : body instanceof Blob ? "Blob" : ("stream" as const);
    const bytes = new Uint8Array(await new Response(body ?? "").arrayBuffer());
    gathered.push({ kind, bytes, headers: new Headers(init.headers) });
    const status = statuses.shift() ?? 200;
    const job = { job_id: "job_1", status: "running", detail: "no" };
    return Response.json(job, { status });
  };
  const tryon = new TryOn({
    apiKey: "svc_test_1",
    baseUrl: "https://tryon.example",
    random: () => 0.001,
    fetch,
    ...options,
  });
  return { tryon, gathered };
}

/** Parses the body of a request. */
export function parseBody(bytes: Uint8Array): Record<string, unknown> {
  // Every body of the client is a JSON object.
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
}

/** Returns bytes that begin like a JPEG, the same each time. */
export function jpegBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) bytes[index] = index * 73 + (index >> 8);
  bytes.set([0xff, 0xd8, 0xff].slice(0, length));
  return bytes;
}

/** Blob that counts its reads, and fails from a given read on. */
export class CountedBlob extends Blob {
  readings = 0;
  readonly failsAt: number;

  constructor(bytes: Uint8Array<ArrayBuffer>, failsAt = Number.POSITIVE_INFINITY) {
    super([bytes]);
    this.failsAt = failsAt;
  }

  override slice(start?: number, end?: number): Blob {
    this.readings += 1;
    if (this.readings < this.failsAt) return super.slice(start, end);
    const piece = super.slice(start, end);
    piece.arrayBuffer = () => Promise.reject(new DOMException("changed", "NotReadableError"));
    return piece;
  }

  /** Reads in pieces, like a file. */
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    let start = 0;
    return new ReadableStream(
      {
        pull: async (controller) => {
          this.readings += 1;
          if (this.readings >= this.failsAt) throw new DOMException("changed", "NotReadableError");
          const piece = super.slice(start, (start += 65_536));
          if (piece.size === 0) controller.close();
          else controller.enqueue(new Uint8Array(await piece.arrayBuffer()));
        },
      },
      { highWaterMark: 0 },
    );
  }
}
