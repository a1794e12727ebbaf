import { compileFunction } from "node:vm";

import { describe, expect, it, onTestFinished } from "vitest";

import type { ReceiverOptions, TryOnCompletedEvent } from "../src/index.ts";
import { unicodeText, secret, signedEvent } from "./events.ts";
import type { Running } from "./running.ts";
import {
  abortAfter,
  connected,
  head,
  send,
  sendEndless,
  statusesOver,
  untilClosed,
} from "./senders.ts";

/** Starts an app of a framework with its receiver at `path`. */
export type Start = (options: ReceiverOptions) => Promise<Running>;

/** Framework under test. */
export interface ReceiverServer {
  readonly name: string;
  readonly start: Start;
  /** Apps in which other code reads the body first, by the name of that code. */
  readonly readBefore: Readonly<Record<string, Start>>;
  /** If true, a gateway reads the whole body, so limits and aborted requests have no effect. */
  readonly gateway?: boolean;
  /** If true, only the last of several headers of one name is passed on. */
  readonly lastHeaderOnly?: boolean;
}

/** Running app, and the calls of its handlers. */
interface Observed extends Running {
  readonly handled: TryOnCompletedEvent[];
  readonly errors: Array<{ readonly error: unknown; readonly status: number }>;
}

/** Starts an app and closes it at the end of the test. */
export async function observed(
  start: Start,
  options: Partial<ReceiverOptions> = {},
): Promise<Observed> {
  const handled: TryOnCompletedEvent[] = [];
  const errors: Observed["errors"] = [];
  const running = await start({
    secrets: secret,
    onCompleted: (event) => handled.push(event),
    onError: (error, status) => errors.push({ error, status }),
    ...options,
  });
  onTestFinished(() => running.close());
  return { ...running, handled, errors };
}

/** Formats headers. */
function linesIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** Returns the parts of a message that are code. */
export function linesOf(message: string): readonly string[] {
  return Array.from(message.matchAll(/`([^`]+)`/g), ([, line = ""]) => line);
}

/** Runs lines of code with global names. */
export function runLines(lines: readonly string[], names: Readonly<Record<string, unknown>>): void {
  compileFunction(lines.join("\n"), Object.keys(names))(...Object.values(names));
}

/** Returns the lines of code in the response of an app that reads the body first. */
export async function linesFrom(start: Start): Promise<readonly string[]> {
  const { port } = await observed(start);
  const { text } = await send(port, await signedEvent("job_1"));
  // Every error response is an object with a message.
  return linesOf((JSON.parse(text) as { message: string }).message);
}

/** Expected result of {@link deliverTwice}. */
export const handledOnce = {
  statuses: [204, 204],
  handled: [{ job_id: "job_1", error_message: unicodeText }],
};

/** Sends one event to an app twice. */
export async function deliverTwice(start: Start): Promise<typeof handledOnce> {
  const handled: typeof handledOnce.handled = [];
  const { port } = await observed(start, {
    onCompleted: ({ job_id, error_message }) =>
      handled.push({ job_id, error_message: error_message ?? "" }),
  });
  const delivery = await signedEvent("job_1");
  const statuses: number[] = [];
  for (const { status } of [await send(port, delivery), await send(port, delivery)]) {
    statuses.push(status ?? 0);
  }
  return { statuses, handled };
}

/** Tests the behavior of every adapter, over HTTP in an app of its framework. */
export function behavesAsReceiver(subject: ReceiverServer): void {
  const { name, start, readBefore, gateway = false, lastHeaderOnly = false } = subject;
  describe(`a receiver for ${name}`, () => {
    it("responds with 204 and handles an event once that is sent twice", async () => {
      expect(await deliverTwice(start)).toEqual(handledOnce);
    });

    it("responds with 400 to a wrong signature and handles nothing", async () => {
      const { port, handled } = await observed(start);
      const { body } = await signedEvent("job_1");
      const { headers } = await signedEvent("job_2");
      const response = await send(port, { body, headers });
      expect(response).toMatchObject({
        status: 400,
        headers: { "content-type": expect.stringContaining("application/json") },
        text: expect.stringContaining('"code":"signature_mismatch"'),
      });
      expect(handled).toEqual([]);
    });

    it.each(Object.keys(readBefore))(
      "responds with 500 and names the lines to change if the body was read by %s",
      async (code) => {
        const { port, handled, errors } = await observed(readBefore[code] ?? start);
        const response = await send(port, await signedEvent("job_1"));
        expect(response).toMatchObject({
          status: 500,
          text: expect.stringContaining('"code":"raw_body_required"'),
        });
        expect(linesOf(response.text).length).toBeGreaterThan(0);
        expect(errors).toMatchObject([{ error: { code: "raw_body_required" }, status: 500 }]);
        expect(handled).toEqual([]);
      },
    );

    it("responds with 405 to GET and HEAD, and handles an event on the same connection", async () => {
      const { port, handled } = await observed(start);
      const { body, headers } = await signedEvent("job_1");
      const length = `content-length: ${body.length}`;
      const delivery = Buffer.concat([Buffer.from(head([...linesIn(headers), length])), body]);
      const unsigned = Buffer.concat([Buffer.from(head([length])), body]);
      const empty = ["GET", "HEAD"].map((method) => head([], method));
      const statuses = await statusesOver(port, [...empty, unsigned, delivery, delivery]);
      expect(statuses).toEqual([405, 405, 400, 204, 204]);
      expect(handled).toHaveLength(1);
      const response = await send(port, { method: "GET" });
      expect(response).toMatchObject({ status: 405, headers: { allow: "POST" } });
    });

    it("responds with 413 to a body over the limit", async () => {
      const { port, handled } = await observed(start, { maxBodyBytes: 200 });
      const { headers } = await signedEvent("job_1");
      const response = await send(port, { headers, body: Buffer.alloc(201) });
      expect(response).toMatchObject({
        status: 413,
        text: expect.stringContaining('"code":"body_too_large"'),
      });
      expect(handled).toEqual([]);
    });

    it.each(lastHeaderOnly ? [] : ["the wire"])(
      "responds with 400 to two signatures on %s",
      async () => {
        const { port, handled } = await observed(start);
        const { body, headers } = await signedEvent("job_1");
        const lines = linesIn(headers);
        const end = [`content-length: ${body.length}`, "connection: close"];
        const message = [Buffer.from(head([...lines, ...lines.slice(-1), ...end])), body];
        const response = await untilClosed(port, Buffer.concat(message));
        expect(response).toMatch(/^HTTP\/1.1 400 /);
        expect(response).toContain('"code":"multiple_signatures"');
        expect(handled).toEqual([]);
      },
    );

    it("handles an event whose characters are split across chunks", async () => {
      const { port, handled } = await observed(start);
      const { body, headers } = await signedEvent("job_1");
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
      const delivery = await signedEvent("job_1");
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
      const { body, headers } = await signedEvent("job_1");
      const socket = await connected(port);
      socket.write(head([...linesIn(headers), `content-length: ${body.length}`]));
      socket.write(body);
      await started.promise;
      await new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        socket.destroy();
      });
      closed.resolve();
      await ended.promise;
      expect(await send(port, { body, headers })).toMatchObject({ status: 204 });
      expect(calls).toBe(1);
    });

    if (gateway) return;

    it("reads an endless body only to the limit and closes the connection", async () => {
      const { port, errors } = await observed(start);
      const { headers } = await signedEvent("job_1");
      const { response, sent } = await sendEndless(port, linesIn(headers));
      expect(response).toMatch(/^HTTP\/1.1 413 /);
      expect(errors).toMatchObject([{ error: { code: "body_too_large" }, status: 413 }]);
      // The buffers of the connection hold some more bytes.
      expect(sent).toBeLessThan(32 * 1_048_576);
    });

    it("responds with 413 to a large content-length before the body and closes the connection", async () => {
      const { port } = await observed(start);
      const { headers } = await signedEvent("job_1");
      const response = await untilClosed(
        port,
        head([...linesIn(headers), "content-length: 52428800"]),
      );
      expect(response).toMatch(/^HTTP\/1.1 413 /);
    });

    it("handles nothing of an aborted request, and then the next event", async () => {
      const aborted = Promise.withResolvers<[unknown, number]>();
      const onError = (...error: [unknown, number]) => aborted.resolve(error);
      const { port, handled } = await observed(start, { onError });
      const delivery = await signedEvent("job_1");
      const beginning = head([
        ...linesIn(delivery.headers),
        `content-length: ${delivery.body.length}`,
      ]);
      await abortAfter(port, `${beginning}{"event":`);
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
