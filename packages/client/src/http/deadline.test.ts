import { getEventListeners } from "node:events";

import { createMock } from "@tryon/mock";
import { describe, expect, it } from "vitest";

import { clientClock } from "../config/clock.ts";
import { abortable, Deadline, inTime, within } from "./deadline.ts";

const never = new Promise<never>(() => undefined);
const reason = { stop: true };

/** Creates a deadline on a clock that the test sets. */
function openDeadline(timeout: number, signal?: AbortSignal) {
  const { clock } = createMock({ clock: "manual" });
  return { clock, deadline: new Deadline(clientClock(clock), timeout, signal) };
}

describe("a deadline", () => {
  it("adds its timer and its listener on first use, and removes them when it is closed", () => {
    const { signal: caller } = new AbortController();
    const { clock, deadline } = openDeadline(1_000, caller);
    const added = () => [clock.pending, getEventListeners(caller, "abort").length];
    expect(added()).toEqual([0, 0]);
    expect(deadline.signal.aborted).toBe(false);
    deadline.restart();
    expect(added()).toEqual([1, 1]);
    deadline.close();
    expect(added()).toEqual([0, 0]);
    const endless = openDeadline(Number.POSITIVE_INFINITY);
    expect([endless.deadline.signal.aborted, endless.clock.pending]).toEqual([false, 0]);
  });

  it("of an attempt is not after that of its call", async () => {
    const { clock, deadline: call } = openDeadline(100);
    expect([call.attempt(1_000).left(), call.attempt(50).left()]).toEqual([100, 50]);
    await clock.advance(99);
    expect(call.passed).toBe(false);
    await clock.advance(1);
    expect(call.passed).toBe(true);
  });

  it("ends earlier after a restart with a lower limit", async () => {
    const { clock, deadline } = openDeadline(1_000);
    const { signal } = deadline;
    deadline.restart(10);
    await clock.advance(9);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    const message = "The timeout of the call has passed.";
    expect(signal.reason).toMatchObject({ name: "TimeoutError", message });
    expect(clock.pending).toBe(0);
  });

  it("rejects work with the reason of its signal, also if that is aborted already", async () => {
    const { signal } = openDeadline(0).deadline;
    await expect(abortable(never, signal)).rejects.toBe(signal.reason);
    const { deadline: aborted } = openDeadline(1_000, AbortSignal.abort(reason));
    expect(aborted.signal.reason).toBe(reason);
    await expect(abortable(never, aborted.signal)).rejects.toBe(reason);
    await expect(async () => aborted.throwIfAborted()).rejects.toBe(reason);
  });

  it("ends other work than a submission in timed_out, and no other error", async () => {
    const { clock, deadline } = openDeadline(1_000);
    expect(await inTime(Promise.resolve(7), deadline, "No time.")).toBe(7);
    const failed = new Error("no");
    await expect(inTime(Promise.reject(failed), deadline, "No time.")).rejects.toBe(failed);
    const late = inTime(never, deadline, "No time.").catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await late).toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("No time."),
      hint: "Nothing was sent: raise timeout.",
    });
  });

  it("leaves no timer after a sleep that is aborted", async () => {
    const controller = new AbortController();
    const { clock, deadline } = openDeadline(1_000, controller.signal);
    const sleep = deadline.sleep(500);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    deadline.close();
    expect(clock.pending).toBe(0);
  });

  it("is closed after the work, and names the option that is not a duration", async () => {
    const { clock } = createMock({ clock: "manual" });
    const config = { clock: clientClock(clock), timeout: "1m" } as const;
    await within(config, {}, "1s", async ({ signal }) => signal);
    expect(clock.pending).toBe(0);
    const work = within(config, { timeout: -1 }, "1s", async () => undefined);
    await expect(work).rejects.toThrow("timeout");
  });
});

it("leaves no listener after the work", async () => {
  const { signal } = new AbortController();
  await abortable(Promise.resolve(), signal);
  await Promise.resolve();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
