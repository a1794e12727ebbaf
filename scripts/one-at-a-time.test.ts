import { expect, it } from "vitest";

import { oneAtATime } from "./one-at-a-time.ts";

/** As long as the name of a folder can be. */
const name = `${import.meta.dirname}${"/folder".repeat(100)}`;

it.runIf(process.platform === "linux")("lets work of one name take turns", async () => {
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const one = oneAtATime(name, async () => {
    events.push("one begins");
    begun.resolve();
    await first.promise;
    events.push("one ends");
  });
  await begun.promise;
  const two = oneAtATime(name, async () => void events.push("two"));
  await oneAtATime(`${name}/other`, async () => void events.push("other"));
  first.resolve();
  await Promise.all([one, two]);
  expect(events).toEqual(["one begins", "other", "one ends", "two"]);
});

it("lets the next one work where one has failed", async () => {
  await expect(oneAtATime(name, () => Promise.reject(new Error("Broken.")))).rejects.toThrow(
    "Broken.",
  );
  expect(await oneAtATime(name, () => Promise.resolve("done"))).toBe("done");
});
