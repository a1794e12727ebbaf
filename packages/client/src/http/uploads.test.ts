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
import { shirtUrl } from "../../test/service.ts";

afterEach(() => void vi.unstubAllGlobals());

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => new Error("It did not fail."),
    (error: unknown) => error,
  );

/** A `fetch` that hands the pieces of the body to a test, and never answers. */
function taking(): {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  take: () => Promise<ReadableStreamReadResult<Uint8Array>>;
} {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  return {
    fetch: (_url, init) => {
      // The body of a large submission in Node is a stream.
      reader = (init.body as ReadableStream<Uint8Array>).getReader();
      begin();
      return new Promise(() => undefined);
    },
    take: async () => {
      await begun;
      return reader?.read() ?? { done: true, value: undefined };
    },
  };
}

describe("an upload", () => {
  it("hands out pieces that nobody changes afterwards", async () => {
    const kept: Uint8Array[] = [];
    const copies: Buffer[] = [];
    const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
      for await (const piece of init.body as ReadableStream<Uint8Array>) {
        kept.push(piece);
        copies.push(Buffer.from(piece));
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
    expect(kept.every((piece, index) => copies[index]?.equals(piece))).toBe(true);
  });

  it("has 30 seconds for each piece, and 30 seconds after the last", async () => {
    const mock = createMock({ clock: "manual" });
    const { fetch, take } = taking();
    const { tryon } = recordingClient([], { fetch, clock: mock.clock, retries: 0 });
    const work = failure(tryon.submit({ person: jpegBytes(1_000_000), garments: [shirtUrl] }));
    let pieces = 0;
    for (;;) {
      const { done } = await take();
      if (done) break;
      pieces += 1;
      await mock.clock.advance("25s");
    }
    expect(pieces).toBeGreaterThan(5);
    const state = { ended: false };
    void work.then(() => (state.ended = true));
    // 25 of the 30 seconds have passed since the last piece was taken.
    await mock.clock.advance("4s");
    expect(state.ended).toBe(false);
    await mock.clock.advance("2s");
    expect(await work).toMatchObject({ code: "outcome_unknown", cause: { code: "timed_out" } });
  });

  it("ends when nothing of it has been taken for 30 seconds, also when the answer may take longer", async () => {
    const mock = createMock({ clock: "manual" });
    const { fetch, take } = taking();
    const { tryon } = recordingClient([], { fetch, clock: mock.clock, retries: 0 });
    const input = { person: jpegBytes(1_000_000), garments: [shirtUrl] as const };
    const work = failure(tryon.run(input, { sync: true }));
    await take();
    await mock.clock.advance("31s");
    expect(await work).toMatchObject({
      code: "outcome_unknown",
      cause: { code: "timed_out", attempts: [{ failure: "timed_out", duration: 30_000 }] },
    });
  });

  it("stops reading when the caller aborts, and rejects with the caller's reason", async () => {
    const { fetch, take } = taking();
    const { tryon } = recordingClient([], { fetch });
    const person = new CountedBlob(jpegBytes(4_000_000));
    const controller = new AbortController();
    const work = failure(
      tryon.submit({ person, garments: [shirtUrl] }, { signal: controller.signal }),
    );
    await take();
    await take();
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await work).toBe(reason);
    const { readings } = person;
    await expect(
      (async () => {
        while (!(await take()).done);
      })(),
    ).rejects.toThrow("over");
    expect(person.readings - readings).toBeLessThan(3);
  });

  it("is one blob where fetch takes no streams", async () => {
    class OldRequest {
      readonly headers = new Headers({ "content-type": "text/plain;charset=UTF-8" });
    }
    vi.stubGlobal("Request", OldRequest);
    const { tryon, gathered } = recordingClient();
    await tryon.submit({ person: jpegBytes(500_000), garments: [shirtUrl] });
    expect(gathered.map(({ kind }) => kind)).toEqual(["Blob"]);
  });

  it("has its length told by the stream where headers do not tell it", async () => {
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

  it("over HTTP is told from a refused key, for which some platforms want bodies they can repeat", async () => {
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

describe("an image that cannot be read while it is sent", () => {
  it("ends the call, is never sent otherwise, and costs nothing", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "tryon-"));
    const mock = createMock({ latency: 0 });
    const server = await serve(mock, { port: 0 });
    onTestFinished(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });
    const file = path.join(folder, "me.jpg");
    for (const length of [2_000, 3_000_000]) {
      await writeFile(file, jpegBytes(length));
      const person = await openAsBlob(file);
      const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
      // The file is changed between the look at it and the first attempt.
      const onUpdate = (): void => writeFileSync(file, jpegBytes(length + 1));
      const error = await failure(tryon.submit({ person, garments: [shirtUrl] }, { onUpdate }));
      if (!isTryOnError(error, "invalid_input")) throw error;
      expect(error.field("person")).toMatchObject({ code: "unreadable" });
      expect(error.message).toContain("Open it again");
      expect((await tryon.account.get()).credits_remaining).toBe(1_000);
      expect(await tryon.jobs.list().toArray()).toEqual([]);
    }
  });

  it("costs nothing when it fails halfway, and is not tried again", async () => {
    const mock = createMock({ latency: 0 });
    const server = await serve(mock, { port: 0 });
    onTestFinished(() => server.close());
    const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
    const person = new CountedBlob(jpegBytes(3_000_000), 9);
    const error = await failure(tryon.submit({ person, garments: [shirtUrl] }));
    expect(error).toMatchObject({ code: "invalid_input", issues: [{ code: "unreadable" }] });
    expect(person.readings).toBe(9);
    expect((await tryon.account.get()).credits_remaining).toBe(1_000);
  });

  it("proves nothing about earlier attempts", async () => {
    const { tryon, gathered } = recordingClient([500]);
    // Its beginning is looked at, and the first attempt takes five pieces.
    const person = new CountedBlob(jpegBytes(300_000), 7);
    const error = await failure(tryon.submit({ person, garments: [shirtUrl] }));
    expect(gathered).toHaveLength(1);
    if (!isTryOnError(error, "outcome_unknown")) throw error;
    expect(error.cause).toMatchObject({ code: "invalid_input" });
    expect(error.attempts).toMatchObject([{ status: 500 }, { failure: "unsent" }]);
    // Reading it works again from here on.
    Object.assign(person, { failsAt: Number.POSITIVE_INFINITY });
    expect((await error.recover()).id).toBe("job_1");
  });
});
