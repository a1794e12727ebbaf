import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { safeVerify } from "../index.ts";
import type { VerifyOutcome } from "../index.ts";
import { unicodeText as error_message, secret as secrets, signedEvent } from "../../test/events.ts";
import { listening } from "../../test/running.ts";
import { send } from "../../test/senders.ts";

const { body: bytes, headers } = await signedEvent("job_1");
const accepted = { ok: true, event: { error_message } };
const rejected = { ok: false, code: "raw_body_required" };

function streamed(chunks: Iterable<Uint8Array>): Request {
  const iterator = chunks[Symbol.iterator]();
  const body = new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const init = { method: "POST", headers, body, duplex: "half" };
  return new Request("https://shop.example", init);
}

/** Sends each chunk separately to a Node server, which verifies the request. */
async function outcomeOf(
  pieces: readonly Uint8Array[],
  verifyRequest: (request: IncomingMessage) => Promise<VerifyOutcome>,
): Promise<VerifyOutcome> {
  const outcome = Promise.withResolvers<VerifyOutcome>();
  const server = createServer((request, response) => {
    const verifying = verifyRequest(request).then(outcome.resolve, outcome.reject);
    void verifying.then(() => response.end());
  });
  const running = await listening(server);
  // A server that stops reading resets the connection.
  send(running.port, { headers, pieces }).catch(() => undefined);
  try {
    return await outcome.promise;
  } finally {
    await running.close();
  }
}

const singleBytes = Array.from(bytes, (byte) => Uint8Array.of(byte));

/** Yields the bytes one by one in the same buffer. */
async function* reusedBuffer(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1);
  for (const byte of bytes) {
    chunk[0] = byte;
    yield chunk;
  }
}

describe("characters of several bytes that are split across chunks", () => {
  it("stay complete in a Request with two chunks", async () => {
    for (let index = 0; index <= bytes.length; index += 1) {
      const body = streamed([bytes.subarray(0, index), bytes.subarray(index)]);
      expect(await safeVerify({ body, secrets })).toMatchObject(accepted);
    }
  });

  it("stay complete in a Request with single bytes", async () => {
    expect(await safeVerify({ body: streamed(singleBytes), secrets })).toMatchObject(accepted);
  });

  it("stay complete in a request of a Node server", async () => {
    const outcome = await outcomeOf(singleBytes, (body) => safeVerify({ body, secrets }));
    expect(outcome).toMatchObject(accepted);
  });
});

describe("a request of a Node server", () => {
  it.each<[string, object, Uint8Array[], (request: IncomingMessage) => Promise<VerifyOutcome>]>([
    [
      "rejected if it was read",
      rejected,
      [bytes],
      async (body) => {
        const parsed: unknown = await new Response(body as unknown as BodyInit).json();
        return safeVerify({ body: Object.assign(body, { body: parsed }), secrets });
      },
    ],
    [
      "rejected if other code has read a part",
      rejected,
      [bytes.subarray(0, 9), bytes.subarray(9)],
      async (body) => {
        await new Promise((read) => body.once("data", read));
        return safeVerify({ body, secrets });
      },
    ],
    [
      "rejected if its chunks are decoded",
      rejected,
      [bytes],
      (body) => safeVerify({ body: body.setEncoding("utf8"), secrets }),
    ],
    [
      "accepted if a parser has ignored it and set an empty object",
      accepted,
      [bytes],
      (body) => safeVerify({ body: Object.assign(body, { body: {} }), secrets }),
    ],
    [
      "accepted if the secrets are late",
      accepted,
      [bytes],
      (body) =>
        safeVerify({
          body,
          secrets: () => new Promise((resolve) => setImmediate(() => resolve(secrets))),
        }),
    ],
    [
      "rejected if the connection is aborted",
      rejected,
      [bytes.subarray(0, 5)],
      (body) => {
        const verifying = safeVerify({ body, secrets });
        body.once("readable", () => body.destroy(new Error("aborted")));
        return verifying;
      },
    ],
    [
      "rejected at the limit",
      { ok: false, code: "body_too_large" },
      [new Uint8Array(1_048_577)],
      (body) => safeVerify({ body, secrets }),
    ],
  ])("is %s", async (_name, expected, pieces, verifyRequest) => {
    expect(await outcomeOf(pieces, verifyRequest)).toMatchObject(expected);
  });
});

it("reads an endless Request only to the limit", async () => {
  let length = 0;
  const endless = (function* () {
    for (;;) {
      length += 65_536;
      yield new Uint8Array(65_536);
    }
  })();
  const outcome = await safeVerify({ body: streamed(endless), secrets });
  expect(outcome).toMatchObject({ ok: false, code: "body_too_large" });
  // The stream reads some chunks ahead.
  expect(length).toBeLessThan(1_048_576 + 4 * 65_536);
});

it("copies each chunk before it requests the next one", async () => {
  const body = { headers, [Symbol.asyncIterator]: reusedBuffer };
  expect(await safeVerify({ body, secrets })).toMatchObject(accepted);
});
