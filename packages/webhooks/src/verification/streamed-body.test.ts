import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { safeVerify, sign } from "../index.ts";
import type { VerifyOutcome } from "../index.ts";

const secrets = "whsec_test";
const error_message = "😀 kein Träger 鍵";
const event = { event: "tryon.completed", job_id: "job_1", status: "failed", error_message };
const bytes = new TextEncoder().encode(JSON.stringify(event));
const signature = await sign({ body: bytes, secret: secrets });
const headers = { "X-Service-Signature": signature };
const whole = { ok: true, event: { error_message } };

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

/** Sends chunks, each when the one before is out, to a server that does `receive` with the request. */
async function delivered(
  chunks: ReadonlyArray<string | Uint8Array>,
  receive: (incoming: IncomingMessage) => Promise<VerifyOutcome>,
): Promise<VerifyOutcome> {
  const outcome = Promise.withResolvers<VerifyOutcome>();
  const server = createServer((incoming, response) => {
    const answer = receive(incoming).then(outcome.resolve, outcome.reject);
    void answer.then(() => response.end());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  // A server on a port has an address that is no text.
  const { port } = server.address() as AddressInfo;
  const outgoing = sendRequest({ port, method: "POST", headers, agent: false });
  outgoing.setNoDelay(true);
  outgoing.on("error", () => {});
  for (const chunk of chunks) {
    await new Promise<void>((sent) => outgoing.write(chunk, () => sent()));
  }
  outgoing.end();
  try {
    return await outcome.promise;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The bytes one by one, each in the place of the one before. */
async function* refilled(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1);
  for (const byte of bytes) {
    chunk[0] = byte;
    yield chunk;
  }
}

describe("characters of several bytes that are split across chunks", () => {
  it("stay whole in a Request, wherever it is split", async () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const body = streamed([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(await safeVerify({ body, secrets })).toMatchObject(whole);
    }
  });

  it("stay whole in a Request that comes byte by byte", async () => {
    const body = streamed(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(await safeVerify({ body, secrets })).toMatchObject(whole);
  });

  it("stay whole in what a Node server receives", async () => {
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const outcome = await delivered(chunks, (body) => safeVerify({ body, secrets }));
    expect(outcome).toMatchObject(whole);
  });
});

describe("a request of a Node server", () => {
  it("that was read before is refused", async () => {
    const outcome = await delivered([bytes], async (body) => {
      const parsed: unknown = await new Response(body as unknown as BodyInit).json();
      return safeVerify({ body: Object.assign(body, { body: parsed }), secrets });
    });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
  });

  it("that somebody else has begun to read is refused", async () => {
    const outcome = await delivered([bytes.subarray(0, 9), bytes.subarray(9)], async (body) => {
      await new Promise((begun) => body.once("data", begun));
      return safeVerify({ body, secrets });
    });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
  });

  it("that was told to decode its chunks is refused", async () => {
    const outcome = await delivered([bytes], (body) =>
      safeVerify({ body: body.setEncoding("utf8"), secrets }),
    );
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
  });

  it("that a parser has passed over, and left an empty object on, is read", async () => {
    const outcome = await delivered([bytes], (body) =>
      safeVerify({ body: Object.assign(body, { body: {} }), secrets }),
    );
    expect(outcome).toMatchObject(whole);
  });

  it("that is verified only after a while is still read", async () => {
    const outcome = await delivered([bytes], async (body) =>
      safeVerify({
        body,
        secrets: () => new Promise((resolve) => setImmediate(() => resolve(secrets))),
      }),
    );
    expect(outcome).toMatchObject(whole);
  });

  it("that breaks off is refused", async () => {
    const outcome = await delivered([bytes.subarray(0, 5)], (body) => {
      const verifying = safeVerify({ body, secrets });
      body.once("readable", () => body.destroy(new Error("aborted")));
      return verifying;
    });
    expect(outcome).toMatchObject({ ok: false, code: "raw_body_required" });
  });
});

describe("a body without end", () => {
  it("is read no further than the bound in a Request", async () => {
    let given = 0;
    const endless = (function* () {
      for (;;) {
        given += 65_536;
        yield new Uint8Array(65_536);
      }
    })();
    const outcome = await safeVerify({ body: streamed(endless), secrets });
    expect(outcome).toMatchObject({ ok: false, code: "body_too_large" });
    // What the stream reads ahead comes on top.
    expect(given).toBeLessThan(1_048_576 + 4 * 65_536);
  });

  it("is read no further than the bound in a Node server", async () => {
    const outcome = await delivered([new Uint8Array(1_048_577)], (body) =>
      safeVerify({ body, secrets }),
    );
    expect(outcome).toMatchObject({ ok: false, code: "body_too_large" });
  });
});

it("keeps no chunk beyond the next one, as a source has it that fills one buffer again and again", async () => {
  const body = { headers, [Symbol.asyncIterator]: refilled };
  expect(await safeVerify({ body, secrets })).toMatchObject(whole);
});
