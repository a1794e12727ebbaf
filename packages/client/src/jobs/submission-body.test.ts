import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { openAsBlob, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { isTryOnError, TryOn } from "../index.ts";
import { recordingClient, jpegBytes, CountedBlob } from "../../test/bodies.ts";
import { httpServer } from "../../test/http-server.ts";
import { failure, shirtUrl } from "../../test/service.ts";

afterEach(() => void vi.unstubAllGlobals());

/** Creates a `fetch` whose request body the test reads, and which never responds. */
function manualUpload(): {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  read: () => Promise<ReadableStreamReadResult<Uint8Array>>;
} {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  return {
    fetch: (_url, init) => {
      // The body of a large submission in Node is a stream.
      reader = (init.body as ReadableStream<Uint8Array>).getReader();
      start();
      return new Promise(() => undefined);
    },
    read: async () => {
      await started;
      return reader?.read() ?? { done: true, value: undefined };
    },
  };
}

describe("an upload", () => {
  it("yields chunks whose memory is never reused", async () => {
    const kept: Uint8Array[] = [];
    const copies: Buffer[] = [];
    const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
      for await (const chunk of init.body as ReadableStream<Uint8Array>) {
        kept.push(chunk);
        copies.push(Buffer.from(chunk));
      }
      return Response.json({ job_id: "job_1", status: "running" });
    };
    const { tryon } = recordingClient([], { fetch });
    await tryon.submit({
      person: jpegBytes(1_500_000),
      garments: [new Blob([jpegBytes(900_000)])],
    });
    expect(kept.length).toBeGreaterThan(10);
    expect(new Set(kept.map(({ buffer }) => buffer)).size).toBe(kept.length);
    expect(kept.every((chunk, index) => copies[index]?.equals(chunk))).toBe(true);
  });

  it("has 30 seconds for each chunk, and 30 seconds after the last", async () => {
    const mock = createMock({ clock: "manual" });
    const { fetch, read } = manualUpload();
    const { tryon } = recordingClient([], { fetch, clock: mock.clock, retries: 0 });
    const work = failure(tryon.submit({ person: jpegBytes(1_000_000), garments: [shirtUrl] }));
    let chunks = 0;
    for (;;) {
      const { done } = await read();
      if (done) break;
      chunks += 1;
      await mock.clock.advance("25s");
    }
    expect(chunks).toBeGreaterThan(5);
    const state = { ended: false };
    void work.then(() => (state.ended = true));
    // 25 of the 30 seconds have passed since the last read.
    await mock.clock.advance("4s");
    expect(state.ended).toBe(false);
    await mock.clock.advance("2s");
    expect(await work).toMatchObject({ code: "outcome_unknown", cause: { code: "timed_out" } });
  });

  it("fails if `fetch` reads nothing for 30 seconds, even if the response may take longer", async () => {
    const mock = createMock({ clock: "manual" });
    const { fetch, read } = manualUpload();
    const { tryon } = recordingClient([], { fetch, clock: mock.clock, retries: 0 });
    const input = { person: jpegBytes(1_000_000), garments: [shirtUrl] as const };
    const work = failure(tryon.run(input, { sync: true }));
    await read();
    await mock.clock.advance("31s");
    expect(await work).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "timed_out", attempts: [{ failure: "timed_out", duration: 30_000 }] },
    });
  });

  it("stops reading when the caller aborts, and rejects with the caller's reason", async () => {
    const { fetch, read } = manualUpload();
    const { tryon } = recordingClient([], { fetch });
    const person = new CountedBlob(jpegBytes(4_000_000));
    const controller = new AbortController();
    const work = failure(
      tryon.submit({ person, garments: [shirtUrl] }, { signal: controller.signal }),
    );
    await read();
    await read();
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await work).toBe(reason);
    const { readings } = person;
    await expect(
      (async () => {
        while (!(await read()).done);
      })(),
    ).rejects.toThrow("over");
    expect(person.readings - readings).toBeLessThan(3);
  });

  it("uses a stream with the length if the runtime requires one", async () => {
    const lengths: number[] = [];
    vi.stubGlobal(
      "FixedLengthStream",
      class extends TransformStream<Uint8Array, Uint8Array> {
        constructor(length: number) {
          super();
          lengths.push(length);
        }
      },
    );
    const { tryon, gathered } = recordingClient();
    await tryon.submit({ person: jpegBytes(500_000), garments: [shirtUrl] });
    expect(lengths.at(-1)).toBe(gathered[0]?.bytes.length);
  });

  it("fails as unauthorized at a 401, although some platforms resend the body of such a request", async () => {
    const { url } = await httpServer((response) => {
      response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ detail: "Invalid key" }));
    });
    const tryon = new TryOn({ apiKey: "svc_test_1", baseUrl: url });
    const error = await failure(tryon.submit({ person: jpegBytes(500_000), garments: [shirtUrl] }));
    expect(error).toMatchObject({ code: "unauthorized" });
  });
});

/** Opens a server over HTTP, and returns its client. */
async function openServer(): Promise<TryOn> {
  const mock = createMock({ latency: 0 });
  const server = await serve(mock, { port: 0 });
  onTestFinished(() => server.close());
  return new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
}

describe("an image that cannot be read during the upload", () => {
  it("fails the call without a job or a charge if its file has changed", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "tryon-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const tryon = await openServer();
    const file = path.join(folder, "me.jpg");
    for (const length of [2_000, 3_000_000]) {
      await writeFile(file, jpegBytes(length));
      const person = await openAsBlob(file);
      // The file changes between its validation and the first attempt.
      const onUpdate = (): void => writeFileSync(file, jpegBytes(length + 1));
      const error = await failure(tryon.submit({ person, garments: [shirtUrl] }, { onUpdate }));
      if (!isTryOnError(error, "invalid_input")) throw error;
      expect(error.field("person")).toMatchObject({ code: "unreadable" });
      expect(error.message).toContain("may have been changed");
      expect((await tryon.account.get()).credits_remaining).toBe(1_000);
      expect(await tryon.jobs.list().toArray()).toEqual([]);
    }
  });

  it("costs nothing if its memory has changed since the call, or if it fails halfway, and is not retried", async () => {
    const tryon = await openServer();
    const bytes = jpegBytes(3_000_000);
    const failing = new CountedBlob(jpegBytes(3_000_000), 9);
    const onUpdate = (): unknown => bytes.fill(7, 2_000_000, 2_001_000);
    for (const person of [bytes, failing]) {
      const error = await failure(tryon.submit({ person, garments: [shirtUrl] }, { onUpdate }));
      expect(error).toMatchObject({ code: "invalid_input", issues: [{ code: "unreadable" }] });
    }
    expect(failing.readings).toBe(9);
    expect((await tryon.account.get()).credits_remaining).toBe(1_000);
  });

  it("leaves the outcome of earlier attempts unknown", async () => {
    const { tryon, gathered } = recordingClient([500]);
    // The validation reads once, and each attempt four times.
    const person = new CountedBlob(jpegBytes(300_000), 7);
    const error = await failure(tryon.submit({ person, garments: [shirtUrl] }));
    expect(gathered).toHaveLength(1);
    if (!isTryOnError(error, "outcome_unknown")) throw error;
    expect(error.cause).toMatchObject({ code: "invalid_input" });
    expect(error.attempts).toMatchObject([{ status: 500 }, { failure: "unsent" }]);
    // From here on, reading succeeds.
    Object.assign(person, { failsAt: Number.POSITIVE_INFINITY });
    expect((await error.recover()).id).toBe("job_1");
  });
});
