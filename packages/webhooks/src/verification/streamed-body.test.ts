import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { startListening } from "@tryon/test-kit/listen";
import { safeVerify, type VerifyOutcome } from "../index.ts";
import { unicodeText as error_message, secret as secrets, signedEvent } from "../../test/events.ts";
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

const lateSecrets = () => new Promise<string>((resolve) => setImmediate(resolve, secrets));

/** Sends each chunk separately to a Node server, which prepares the request and verifies it. */
async function outcomeOf(
  pieces: readonly Uint8Array[],
  prepare: (request: IncomingMessage) => unknown,
): Promise<VerifyOutcome> {
  const outcome = Promise.withResolvers<VerifyOutcome>();
  const verifyPrepared = async (body: IncomingMessage): Promise<VerifyOutcome> => {
    await prepare(body);
    return safeVerify({ body, secrets: lateSecrets });
  };
  const server = createServer((request, response) => {
    const verifying = verifyPrepared(request).then(outcome.resolve, outcome.reject);
    void verifying.then(() => response.end());
  });
  const running = await startListening(server);
  // A server that stops reading resets the connection.
  send(running.port, { headers, pieces }).catch(() => undefined);
  try {
    return await outcome.promise;
  } finally {
    await running.close();
  }
}

/** Yields the bytes one by one in the same buffer. */
async function* reusedBuffer(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1);
  for (const byte of bytes) {
    chunk[0] = byte;
    yield chunk;
  }
}

describe("a request of a Node server", () => {
  const halves = [bytes.subarray(0, 9), bytes.subarray(9)];

  it.each<[string, object, readonly Uint8Array[], (request: IncomingMessage) => unknown]>([
    [
      "accepted if a parser has ignored it and set an empty object",
      accepted,
      [bytes],
      (request) => Object.assign(request, { body: {} }),
    ],
    [
      "rejected if other code has read a part",
      rejected,
      halves,
      (request) => once(request, "data"),
    ],
  ])("is %s", async (_name, expected, pieces, prepare) => {
    expect(await outcomeOf(pieces, prepare)).toMatchObject(expected);
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
