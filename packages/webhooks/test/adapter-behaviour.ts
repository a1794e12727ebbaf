import { compileFunction } from "node:vm";

import { describe, expect, it, onTestFinished } from "vitest";
import type { Listening } from "@tryon/test-kit/listen";

import type { ReceiverOptions, TryOnCompletedEvent } from "../src/index.ts";
import { unicodeText, secret, signedEvent } from "./events.ts";
import {
  abortAfter,
  connected,
  head,
  send,
  sendEndless,
  statusesOver,
  untilClosed,
} from "./senders.ts";

export type Start = (options: ReceiverOptions) => Promise<Listening>;

export interface ReceiverServer {
  readonly name: string;
  readonly start: Start;
  /** Apps in which other code reads the body first, by the name of that code. */
  readonly readBefore: Readonly<Record<string, Start>>;
  /** Returns apps to which the lines of the message of the first of these apps are applied. */
  readonly applyFix?: (lines: readonly string[]) => readonly Start[];
  /** If true, a gateway reads the whole body, so limits and aborted requests have no effect. */
  readonly gateway?: boolean;
  /** If true, only the last of several headers of one name is passed on. */
  readonly lastHeaderOnly?: boolean;
}

/** Starts an app and closes it at the end of the test. */
export async function observed(start: Start, options: Partial<ReceiverOptions> = {}) {
  const handled: TryOnCompletedEvent[] = [];
  const errors: { readonly error: unknown; readonly status: number }[] = [];
  const running = await start({
    secrets: secret,
    onCompleted: (event) => handled.push(event),
    onError: (error, status) => errors.push({ error, status }),
    ...options,
  });
  onTestFinished(() => running.close());
  return { ...running, handled, errors };
}

const delivery = await signedEvent("job_1");
const { body, headers } = delivery;
const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
const contentLength = `content-length: ${body.length}`;
const deliveryHead = head([...headerLines, contentLength]);

export function runLines(lines: readonly string[], names: Readonly<Record<string, unknown>>): void {
  compileFunction(lines.join("\n"), Object.keys(names))(...Object.values(names));
}

/** Returns the parts of a message that are code. */
export function linesOf(message: string): readonly string[] {
  return Array.from(message.matchAll(/`([^`]+)`/g), ([, line = ""]) => line);
}

/** Returns the lines of code in the response of an app that reads the body first. */
async function linesFrom(start: Start): Promise<readonly string[]> {
  const { port } = await observed(start);
  const { text } = await send(port, delivery);
  // Every error response is an object with a message.
  return linesOf((JSON.parse(text) as { message: string }).message);
}

export const handledOnce = {
  statuses: [204, 204],
  handled: [{ job_id: "job_1", error_message: unicodeText }],
};

export async function deliverTwice(start: Start): Promise<typeof handledOnce> {
  const handled: typeof handledOnce.handled = [];
  const { port } = await observed(start, {
    onCompleted: ({ job_id, error_message }) =>
      handled.push({ job_id, error_message: error_message ?? "" }),
  });
  const statuses: number[] = [];
  for (const { status } of [await send(port, delivery), await send(port, delivery)]) {
    statuses.push(status ?? 0);
  }
  return { statuses, handled };
}

/** Tests the behavior of every adapter, over HTTP in an app of its framework. */
export function behavesAsReceiver(subject: ReceiverServer): void {
  const { start, readBefore, applyFix, gateway = false, lastHeaderOnly = false } = subject;
  describe(`a receiver for ${subject.name}`, () => {
    it("responds with 204 and handles an event once that is sent twice", async () => {
      expect(await deliverTwice(start)).toEqual(handledOnce);
    });

    const forged = {
      body,
      headers: { ...headers, "x-service-signature": `sha256=${"0".repeat(64)}` },
    };
    const long = { headers, body: Buffer.alloc(201) };
    const readBy = Object.entries(readBefore).map(
      ([code, app]) => [`500 and the fix if ${code} has read the body`, app, delivery] as const,
    );
    it.each([
      ["400 to a wrong signature", start, forged, /"code":"(signature_mismatch)"/],
      ["413 to a body over the limit", start, long, /"code":"(body_too_large)"/],
      ...readBy.map((row) => [...row, /"code":"(raw_body_required)".*`.+`/] as const),
    ] as const)("responds with %s and handles nothing", async (name, app, sent, text) => {
      const { port, handled, errors } = await observed(app, { maxBodyBytes: 200 });
      const status = Number.parseInt(name, 10);
      const response = await send(port, sent);
      expect(response).toMatchObject({
        status,
        headers: { "content-type": expect.stringContaining("application/json") },
        text: expect.stringMatching(text),
      });
      expect(errors).toMatchObject([{ error: { code: text.exec(response.text)?.[1] }, status }]);
      expect(handled).toEqual([]);
    });

    it.each(applyFix === undefined ? [] : [applyFix])(
      "handles an event after the lines of the message are applied",
      async (apply) => {
        const [parsed = start] = Object.values(readBefore);
        const fixed = apply(await linesFrom(parsed));
        expect(fixed).not.toEqual([]);
        for (const app of fixed) expect(await deliverTwice(app)).toEqual(handledOnce);
      },
    );

    it("responds with 405 to GET and HEAD, and handles an event on the same connection", async () => {
      const { port, handled } = await observed(start);
      const signed = Buffer.concat([Buffer.from(deliveryHead), body]);
      const unsigned = Buffer.concat([Buffer.from(head([contentLength])), body]);
      const empty = ["GET", "HEAD"].map((method) => head([], method));
      const statuses = await statusesOver(port, [...empty, unsigned, signed, signed]);
      expect(statuses).toEqual([405, 405, 400, 204, 204]);
      expect(handled).toHaveLength(1);
      const response = await send(port, { method: "GET" });
      expect(response).toMatchObject({ status: 405, headers: { allow: "POST" } });
    });

    it.each(lastHeaderOnly ? [] : ["the wire"])(
      "responds with 400 to two signatures on %s",
      async () => {
        const { port, handled } = await observed(start);
        const end = [...headerLines.slice(-1), contentLength, "connection: close"];
        const message = [Buffer.from(head([...headerLines, ...end])), body];
        const response = await untilClosed(port, Buffer.concat(message));
        expect(response).toMatch(/^HTTP\/1.1 400 /);
        expect(response).toContain('"code":"multiple_signatures"');
        expect(handled).toEqual([]);
      },
    );

    it("handles an event whose characters are split across chunks", async () => {
      const { port, handled } = await observed(start);
      const pieces = Array.from(body, (byte) => Uint8Array.of(byte));
      expect(await send(port, { headers, pieces })).toMatchObject({ status: 204 });
      expect(handled).toMatchObject([{ error_message: unicodeText }]);
    });

    it("responds with 500 without the message of a handler that throws, and handles the next delivery", async () => {
      let calls = 0;
      const { port, errors } = await observed(start, {
        onCompleted() {
          calls += 1;
          if (calls === 1) throw new Error("the database at 10.0.0.7 is down");
        },
      });
      const response = await send(port, delivery);
      expect(response).toMatchObject({
        status: 500,
        text: expect.stringContaining('"code":"handler_failed"'),
      });
      expect(response.text).not.toContain("10.0.0.7");
      expect(errors).toMatchObject([{ error: expect.any(Error), status: 500 }]);
      expect(await send(port, delivery)).toMatchObject({ status: 204 });
      expect(calls).toBe(2);
    });

    it("completes the handler after the sender has closed the connection, and does not repeat it", async () => {
      const started = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      let calls = 0;
      const { port } = await observed(start, {
        async onCompleted() {
          calls += 1;
          started.resolve();
          await closed.promise;
          ended.resolve();
        },
      });
      const socket = await connected(port);
      socket.write(deliveryHead);
      socket.write(body);
      await started.promise;
      await new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        socket.destroy();
      });
      closed.resolve();
      await ended.promise;
      expect(await send(port, delivery)).toMatchObject({ status: 204 });
      expect(calls).toBe(1);
    });

    if (gateway) return;

    it("reads an endless body only to the limit and closes the connection", async () => {
      const { port, errors } = await observed(start);
      const { response, sent } = await sendEndless(port, headerLines);
      expect(response).toMatch(/^HTTP\/1.1 413 /);
      expect(errors).toMatchObject([{ error: { code: "body_too_large" }, status: 413 }]);
      // The buffers of the connection hold some more bytes.
      expect(sent).toBeLessThan(32 * 1_048_576);
    });

    it("responds with 413 to a large content-length before the body and closes the connection", async () => {
      const { port } = await observed(start);
      const large = head([...headerLines, "content-length: 52428800"]);
      const response = await untilClosed(port, large);
      expect(response).toMatch(/^HTTP\/1.1 413 /);
    });

    it("handles nothing of an aborted request, and then the next event", async () => {
      const aborted = Promise.withResolvers<[unknown, number]>();
      const onError = (...error: [unknown, number]) => aborted.resolve(error);
      const { port, handled } = await observed(start, { onError });
      await abortAfter(port, `${deliveryHead}{"event":`);
      // A 400 is not logged, because the receiver needs no fix.
      expect(await aborted.promise).toMatchObject([
        {
          code: "raw_body_required",
          message: "The sender closed the connection before the end of the body.",
        },
        400,
      ]);
      expect(handled).toEqual([]);
      expect(await send(port, delivery)).toMatchObject({ status: 204 });
    });
  });
}
