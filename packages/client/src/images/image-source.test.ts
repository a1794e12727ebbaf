import { writeFile } from "node:fs/promises";
import { openAsBlob } from "node:fs";
import path from "node:path";
import { runInNewContext } from "node:vm";

import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  oneof,
  record,
  string,
} from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { TryOn, type ImageInput } from "../index.ts";
import { jpegBytes, parseBody, recordingClient, rejectionOf } from "../../test/bodies.ts";
import { httpServer } from "../../test/http-server.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";
import { shirtUrl } from "../../test/service.ts";

afterEach(() => void vi.unstubAllGlobals());

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1_000)
        controller.enqueue(bytes.slice(at, at + 1_000));
      controller.close();
    },
  });

const usedResponse = (): Response => {
  const response = new Response(jpegBytes(100));
  void response.arrayBuffer();
  return response;
};
const lockedStream = (): ReadableStream => {
  const stream = streamOf(jpegBytes(100));
  stream.getReader();
  return stream;
};

/** Every kind of image input, created from bytes. */
const kinds: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => ImageInput>> = {
  Uint8Array: (bytes) => bytes,
  "a view into a larger buffer": (bytes) =>
    new Uint8Array([...new Uint8Array(7), ...bytes, 9]).subarray(7, 7 + bytes.length),
  Buffer: (bytes) => Buffer.from(bytes),
  "shared memory": (bytes) => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return shared;
  },
  "a Uint8Array of another realm": (bytes) =>
    runInNewContext("Uint8Array.from(bytes)", { bytes: [...bytes] }) as Uint8Array,
  ArrayBuffer: (bytes) => bytes.slice().buffer,
  Blob: (bytes) => new Blob([bytes]),
  "a part of a Blob": (bytes) => new Blob(["before", bytes, "after"]).slice(6, 6 + bytes.length),
  File: (bytes) => new File([bytes], "me.jpg"),
  // Those of DOMs in tests have some of these methods, and the types of no package.
  "a Blob without a tag": (bytes) => domBlob(bytes, "slice", "arrayBuffer"),
  "a Blob without slices": (bytes) => domBlob(bytes, "arrayBuffer"),
  "a Blob with streams": (bytes) => domBlob(bytes, "slice", "stream"),
  "a Blob that only a FileReader reads": (bytes) => {
    vi.stubGlobal("FileReader", TestReader);
    return { size: bytes.length, bytes, [Symbol.toStringTag]: "Blob" } as unknown as ImageInput;
  },
  Response: (bytes) => new Response(bytes),
  ReadableStream: streamOf,
  base64: (bytes) => ({ base64: base64Of(bytes) }),
  base64url: (bytes) => ({ base64: Buffer.from(bytes).toString("base64url") }),
  "base64 in lines": (bytes) => ({ base64: base64Of(bytes).replaceAll(/(.{76})/g, "$1\r\n") }),
  "a data URI": (bytes) => `data:image/jpeg;base64,${base64Of(bytes)}`,
  "a data URI as URL": (bytes) => new URL(`data:image/jpeg;base64,${base64Of(bytes)}`),
};

class TestReader extends EventTarget {
  result: unknown;

  readAsArrayBuffer({ bytes }: { readonly bytes: Uint8Array }): void {
    this.result = bytes.slice().buffer;
    queueMicrotask(() => this.dispatchEvent(new Event("load")));
  }
}

function domBlob(bytes: Uint8Array<ArrayBuffer>, ...names: (keyof Blob)[]): ImageInput {
  const blob = new Blob([bytes]);
  const slice = (from: number, to: number) => domBlob(bytes.slice(from, to), ...names);
  const methods = { slice, arrayBuffer: () => blob.arrayBuffer(), stream: () => blob.stream() };
  const kept = Object.entries(methods).filter(([name]) => names.some((one) => one === name));
  return { size: blob.size, ...Object.fromEntries(kept) } as unknown as ImageInput;
}

/** That of a page. That of Node is written in JavaScript. */
const NativeBlob: unknown = Blob.bind(undefined);

const give = ({ kind, length }: { kind: string; length: number }): ImageInput =>
  kinds[kind]?.(jpegBytes(length)) ?? "";
const lengths = oneof(
  integer({ min: 6, max: 2_000 }),
  integer({ min: 149_000, max: 151_000 }),
  integer({ min: 196_000, max: 197_000 }),
  integer({ min: 380_000, max: 400_000 }),
);
const images = record({ kind: constantFrom(...Object.keys(kinds)), length: lengths });

it.each(Object.keys(kinds))(
  "sends %s unchanged among other images, with the exact length, the same on every attempt",
  async (kind) => {
    await assert(
      asyncProperty(
        lengths,
        array(images, { maxLength: 2 }),
        string({ unit: "grapheme", maxLength: 100 }),
        constantFrom("no", "a browser", "a DOM"),
        async (length, others, prompt, page) => {
          vi.unstubAllGlobals();
          if (page !== "no") vi.stubGlobal("document", {});
          if (page === "a browser") vi.stubGlobal("Blob", NativeBlob);
          const { tryon, gathered } = recordingClient([503, 503]);
          const image = { kind, length };
          const garments = [give(image), shirtUrl, ...others.slice(0, 1).map(give)] as const;
          await tryon.submit({ person: give(others[1] ?? image), prompt, garments });
          const body = gathered[0]?.bytes ?? Buffer.of();
          expect(parseBody(body)).toEqual({
            prompt,
            wait: false,
            garment_urls: [shirtUrl],
            person_image_b64: base64Of(jpegBytes((others[1] ?? image).length)),
            garment_images_b64: [image, ...others.slice(0, 1)].map((one) =>
              base64Of(jpegBytes(one.length)),
            ),
          });
          expect(gathered).toHaveLength(3);
          const isText = [image, ...others].every((one) => /^(base64|a data)/.test(one.kind));
          const whole = page === "a browser" ? "Blob" : "bytes";
          for (const { kind: form, bytes, headers } of gathered) {
            expect(Buffer.compare(bytes, body)).toBe(0);
            const isSmall = bytes.length <= 131_072;
            const large = page === "no" ? "stream" : whole;
            expect(form).toBe(isSmall && isText ? "string" : isSmall ? whole : large);
            const stated = form === "stream" ? String(bytes.length) : null;
            expect(headers.get("content-length")).toBe(stated);
          }
        },
      ),
      { numRuns: cases(40, 20) },
    );
  },
);

describe("a response or a stream", () => {
  it.each<[string, string, () => unknown]>([
    ["an error", "is a response with status 404", () => new Response("no", { status: 404 })],
    ["a page", "is HTML", () => new Response("<!doctype html><p>Sign in")],
    ["read before", "could not be read", () => usedResponse()],
    ["locked", "could not be read", () => lockedStream()],
    [
      "broken",
      "could not be read",
      () => new ReadableStream({ pull: () => Promise.reject(new Error("no")) }),
    ],
  ])("is rejected if it is %s: %s", async (_what, problem, create) => {
    const error = await rejectionOf(create());
    expect(error).toMatchObject({ code: "invalid_input", issues: [{ field: "person" }] });
    expect(String(error)).toContain(problem);
  });

  it("is read only up to the size limit of the service", async () => {
    let pulls = 0;
    const cancelled = vi.fn<() => void>();
    const endless = new ReadableStream({
      pull(controller) {
        pulls += 1;
        controller.enqueue(jpegBytes(1_000_000));
      },
      cancel: cancelled,
    });
    expect(await rejectionOf(endless)).toMatchObject({
      issues: [{ field: "person", code: "too_large", bound: 10_500_000 }],
    });
    expect(pulls).toBeLessThan(14);
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it("is canceled if the caller aborts, with the caller's reason", async () => {
    const cancelled = vi.fn<() => void>();
    const silent = new ReadableStream({ cancel: cancelled });
    const controller = new AbortController();
    const { tryon } = recordingClient();
    const work = tryon.submit(
      { person: silent, garments: [shirtUrl] },
      { signal: controller.signal },
    );
    const reason = new Error("enough");
    setImmediate(() => controller.abort(reason));
    await expect(work).rejects.toBe(reason);
    expect(cancelled).toHaveBeenCalledOnce();
  });
});

it("is sent from a file over HTTP with its length, without chunked encoding", async () => {
  const file = path.join(await temporaryFolder(), "large.jpg");
  await writeFile(file, jpegBytes(3_000_001));
  const { url, got } = await httpServer((response, _got, count) => {
    response
      .writeHead(count === 1 ? 503 : 200, { "content-type": "application/json" })
      .end(JSON.stringify({ job_id: "job_1", status: "running" }));
  });
  const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: url, random: () => 0.001 });
  await tryon.submit({ person: await openAsBlob(file), garments: [shirtUrl] });
  expect(got).toHaveLength(2);
  expect(got[0]?.body).toBe(got[1]?.body);
  expect(parseBody(Buffer.from(got[0]?.body ?? ""))["person_image_b64"]).toBe(
    base64Of(jpegBytes(3_000_001)),
  );
  for (const { headers, body } of got) {
    expect(headers).toMatchObject({ "content-length": String(body.length) });
    expect(headers).not.toHaveProperty("transfer-encoding");
  }
});
