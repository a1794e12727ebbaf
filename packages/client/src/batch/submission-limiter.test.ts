import { getEventListeners } from "node:events";

import { expect, it } from "vitest";

import { createService } from "../../test/service.ts";
import { sleep } from "./submission-limiter.ts";

it("removes its timer and listener after it ends or is aborted", async () => {
  const { clock } = createService().mock;
  const timers = clock.pending;
  const controller = new AbortController();
  const { signal } = controller;
  const waited = sleep(clock, 1_000, signal);
  await clock.advance(1_000);
  await waited;
  expect([clock.pending, getEventListeners(signal, "abort").length]).toEqual([timers, 0]);
  const left = sleep(clock, 1_000, signal);
  controller.abort("enough");
  await expect(left).rejects.toBe("enough");
  await expect(sleep(clock, 1_000, signal)).rejects.toBe("enough");
  expect([clock.pending, getEventListeners(signal, "abort").length]).toEqual([timers, 0]);
});
