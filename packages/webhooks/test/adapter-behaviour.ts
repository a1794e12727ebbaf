import { compileFunction } from "node:vm";

import { describe, expect, it, onTestFinished } from "vitest";

import type { ReceiverOptions, TryOnCompletedEvent } from "../src/index.ts";
import { moving, secret, signedEvent } from "./events.ts";
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

/** Starts an app of a framework that has its receiver at `path`. */
export type Start = (options: ReceiverOptions) => Promise<Running>;

/** A framework under test. */
export interface ReceiverServer {
  readonly name: string;
  readonly start: Start;
  /** Apps in which something has read the body before, each by what that is. */
  readonly readBefore: Readonly<Record<string, Start>>;
  /** Whether a gateway reads the body, so that neither a bound nor a sender that breaks off shows. */
  readonly gateway?: boolean;
  /** Whether it passes on only the last of several headers of one name. */
  readonly lastHeaderOnly?: boolean;
}

/** What a receiver was told, and where it listens. */
interface Observed extends Running {
  readonly handled: TryOnCompletedEvent[];
  readonly errors: Array<{ readonly error: unknown; readonly status: number }>;
}

/** Starts an app for one test, which is closed when that has ended. */
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

/** Headers as they are written. */
function linesIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** The code in a message, piece by piece. */
export function linesOf(message: string): readonly string[] {
  return Array.from(message.matchAll(/`([^`]+)`/g), ([, line = ""]) => line);
}

/** Runs lines of code, exactly as they are, where some names have a meaning. */
export function runLines(lines: readonly string[], names: Readonly<Record<string, unknown>>): void {
  compileFunction(lines.join("\n"), Object.keys(names))(...Object.values(names));
}

/** The lines that an app answers with in which something has read the body before. */
export async function linesFrom(start: Start): Promise<readonly string[]> {
  const { port } = await observed(start);
  const { text } = await send(port, await signedEvent("job_1"));
  // Every answer that is no success is an object with a message.
  return linesOf((JSON.parse(text) as { message: string }).message);
}

/** What comes of {@link deliverTwice} where a receiver is set up right. */
export const handledOnce = {
  answers: [204, 204],
  handled: [{ job_id: "job_1", error_message: moving }],
};

/** Sends one event twice to an app. */
export async function deliverTwice(start: Start): Promise<typeof handledOnce> {
  const handled: typeof handledOnce.handled = [];
  const { port } = await observed(start, {
    onCompleted: ({ job_id, error_message }) =>
      handled.push({ job_id, error_message: error_message ?? "" }),
  });
  const delivery = await signedEvent("job_1");
  const answers: number[] = [];
  for (const { status } of [await send(port, delivery), await send(port, delivery)]) {
    answers.push(status ?? 0);
  }
  return { answers, handled };
}

/** What every adapter does, over HTTP and in an app of its framework. */
export function behavesAsReceiver(subject: ReceiverServer): void {
  const { name, start, readBefore, gateway = false, lastHeaderOnly = false } = subject;
  describe(`a receiver for ${name}`, () => {
    it("answers 204 to an event, and handles it once when it comes twice", async () => {
      expect(await deliverTwice(start)).toEqual(handledOnce);
    });

    it("answers 400 to a wrong signature, and handles nothing", async () => {
      const { port, handled } = await observed(start);
      const { body } = await signedEvent("job_1");
      const { headers } = await signedEvent("job_2");
      const answer = await send(port, { body, headers });
      expect(answer).toMatchObject({
        status: 400,
        headers: { "content-type": expect.stringContaining("application/json") },
        text: expect.stringContaining('"code":"signature_mismatch"'),
      });
      expect(handled).toEqual([]);
    });

    it.each(Object.keys(readBefore))(
      "answers 500 and names the lines to change where the body was read by %s",
      async (what) => {
        const { port, handled, errors } = await observed(readBefore[what] ?? start);
        const answer = await send(port, await signedEvent("job_1"));
        expect(answer).toMatchObject({
          status: 500,
          text: expect.stringContaining('"code":"raw_body_required"'),
        });
        expect(linesOf(answer.text).length).toBeGreaterThan(0);
        expect(errors).toMatchObject([{ error: { code: "raw_body_required" }, status: 500 }]);
        expect(handled).toEqual([]);
      },
    );

    it("answers 405 to GET and HEAD, and takes an event over the same connection", async () => {
      const { port, handled } = await observed(start);
      const { body, headers } = await signedEvent("job_1");
      const length = `content-length: ${body.length}`;
      const delivery = Buffer.concat([Buffer.from(head([...linesIn(headers), length])), body]);
      const unsigned = Buffer.concat([Buffer.from(head([length])), body]);
      const empty = ["GET", "HEAD"].map((method) => head([], method));
      const statuses = await statusesOver(port, [...empty, unsigned, delivery, delivery]);
      expect(statuses).toEqual([405, 405, 400, 204, 204]);
      expect(handled).toHaveLength(1);
      const answer = await send(port, { method: "GET" });
      expect(answer).toMatchObject({ status: 405, headers: { allow: "POST" } });
    });

    it("answers 413 to a body over the bound", async () => {
      const { port, handled } = await observed(start, { maxBodyBytes: 200 });
      const { headers } = await signedEvent("job_1");
      const answer = await send(port, { headers, body: Buffer.alloc(201) });
      expect(answer).toMatchObject({
        status: 413,
        text: expect.stringContaining('"code":"body_too_large"'),
      });
      expect(handled).toEqual([]);
    });

    it.each(lastHeaderOnly ? [] : ["the wire"])("answers 400 to two signatures on %s", async () => {
      const { port, handled } = await observed(start);
      const { body, headers } = await signedEvent("job_1");
      const lines = linesIn(headers);
      const end = [`content-length: ${body.length}`, "connection: close"];
      const message = [Buffer.from(head([...lines, ...lines.slice(-1), ...end])), body];
      const answer = await untilClosed(port, Buffer.concat(message));
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('"code":"multiple_signatures"');
      expect(handled).toEqual([]);
    });

    it("takes an event whose characters are split between chunks", async () => {
      const { port, handled } = await observed(start);
      const { body, headers } = await signedEvent("job_1");
      const pieces = Array.from(body, (byte) => Uint8Array.of(byte));
      expect(await send(port, { headers, pieces })).toMatchObject({ status: 204 });
      expect(handled).toMatchObject([{ error_message: moving }]);
    });

    it("answers 500 when the handler throws, without its words, and handles the next delivery", async () => {
      let calls = 0;
      const { port, errors } = await observed(start, {
        onCompleted() {
          calls += 1;
          if (calls === 1) throw new Error("the database at 10.0.0.7 is down");
        },
      });
      const delivery = await signedEvent("job_1");
      const answer = await send(port, delivery);
      expect(answer).toMatchObject({
        status: 500,
        text: expect.stringContaining('"code":"handler_failed"'),
      });
      expect(answer.text).not.toContain("10.0.0.7");
      expect(errors).toMatchObject([{ error: expect.any(Error), status: 500 }]);
      expect(await send(port, delivery)).toMatchObject({ status: 204 });
      expect(calls).toBe(2);
    });

    it("lets the handler finish whose sender is gone, and does not call it again", async () => {
      const begun = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      let calls = 0;
      const { port } = await observed(start, {
        async onCompleted() {
          calls += 1;
          begun.resolve();
          await gone.promise;
          ended.resolve();
        },
      });
      const { body, headers } = await signedEvent("job_1");
      const socket = await connected(port);
      socket.write(head([...linesIn(headers), `content-length: ${body.length}`]));
      socket.write(body);
      await begun.promise;
      await new Promise<void>((closed) => {
        socket.once("close", () => closed());
        socket.destroy();
      });
      gone.resolve();
      await ended.promise;
      expect(await send(port, { body, headers })).toMatchObject({ status: 204 });
      expect(calls).toBe(1);
    });

    if (gateway) return;

    it("reads no further than the bound of a body without end, and closes the connection", async () => {
      const { port, errors } = await observed(start);
      const { headers } = await signedEvent("job_1");
      const { answer, sent } = await sendEndless(port, linesIn(headers));
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
      expect(errors).toMatchObject([{ error: { code: "body_too_large" }, status: 413 }]);
      // Beyond the bound there is only what the buffers of both machines hold.
      expect(sent).toBeLessThan(32 * 1_048_576);
    });

    it("answers 413 before a body arrives that is announced as too large, and closes the connection", async () => {
      const { port } = await observed(start);
      const { headers } = await signedEvent("job_1");
      const answer = await untilClosed(
        port,
        head([...linesIn(headers), "content-length: 52428800"]),
      );
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
    });

    it("handles nothing of a sender that breaks off, and goes on", async () => {
      const brokenOff = Promise.withResolvers<[unknown, number]>();
      const onError = (...told: [unknown, number]) => brokenOff.resolve(told);
      const { port, handled } = await observed(start, { onError });
      const delivery = await signedEvent("job_1");
      const beginning = head([
        ...linesIn(delivery.headers),
        `content-length: ${delivery.body.length}`,
      ]);
      await abortAfter(port, `${beginning}{"event":`);
      // No fault of the receiver, and so nothing for its log.
      expect(await brokenOff.promise).toMatchObject([
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
