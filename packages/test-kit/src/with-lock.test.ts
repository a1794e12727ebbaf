import { expect, it } from "vitest";

import { withLock } from "./with-lock.ts";

/** A name with the length that the path of a folder can have. */
const name = `${import.meta.dirname}${"/folder".repeat(100)}`;

it.runIf(process.platform === "linux")("runs work under one lock name in turn", async () => {
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const one = withLock(name, async () => {
    events.push("one starts");
    started.resolve();
    await first.promise;
    events.push("one ends");
  });
  await started.promise;
  const two = withLock(name, async () => void events.push("two"));
  await withLock(`${name}/other`, async () => void events.push("other"));
  first.resolve();
  await Promise.all([one, two]);
  expect(events).toEqual(["one starts", "other", "one ends", "two"]);
});

it("releases the lock when work fails", async () => {
  const failing = withLock(name, () => Promise.reject(new Error("Broken.")));
  await expect(failing).rejects.toThrow("Broken.");
  expect(await withLock(name, () => Promise.resolve("done"))).toBe("done");
});
