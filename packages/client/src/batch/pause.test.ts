import { getEventListeners } from "node:events";

import { expect, it } from "vitest";

import { createWorld } from "../testing/world.ts";
import { pause } from "./pause.ts";

it("leaves no timer and no listener, whether it was waited for or not", async () => {
  const { clock } = createWorld().mock;
  const timers = clock.pending;
  const controller = new AbortController();
  const { signal } = controller;
  const waited = pause(clock, 1_000, signal);
  await clock.advance(1_000);
  await waited;
  expect([clock.pending, getEventListeners(signal, "abort").length]).toEqual([timers, 0]);
  const left = pause(clock, 1_000, signal);
  controller.abort("enough");
  await expect(left).rejects.toBe("enough");
  await expect(pause(clock, 1_000, signal)).rejects.toBe("enough");
  expect([clock.pending, getEventListeners(signal, "abort").length]).toEqual([timers, 0]);
});
