import { deepStrictEqual } from "node:assert";
import { inspect } from "node:util";

import { expect, it } from "vitest";

import type { Job, ResultImage } from "../index.ts";
import { createService, input, respondWith } from "../../test/service.ts";

/** Formats a value in each way in which programs print it. */
const printed = (value: Job | ResultImage) => [
  String(value),
  inspect(value),
  inspect([value], { breakLength: Infinity }),
];

const ofImage = (text: string): string => text.replace("Job", "Image of Job");

it("prints a job and its image with id, status and cost", async () => {
  const { run, tryon } = createService();
  const job = await run(tryon.submit(input));
  const { image } = await run(job.result());
  const text = `Job ${job.id} (succeeded, 8 credits)`;
  expect(printed(job)).toEqual([text, text, `[ ${text} ]`]);
  expect(printed(image)).toEqual([text, text, `[ ${text} ]`].map(ofImage));
  const [listed] = await run(tryon.jobs.list().toArray());
  expect(String(listed)).toBe(text);
});

it.each([
  [{ status: "queued" }, "queued"],
  [{ status: "queued", cost_credits: 12 }, "queued, 12 credits"],
  [{ status: "on_hold", cost_credits: 0 }, "on_hold, 0 credits"],
  [
    { status: "failed", error_message: "content_blocked", cost_credits: 8 },
    "failed: content_blocked, 8 credits",
  ],
  [{ status: "failed", error_message: null, cost_credits: null }, "failed"],
])("prints a job of the data %j as (%s)", async (data, state) => {
  const { run, tryon, faults } = createService();
  faults.push(respondWith(200, { job_id: "job_1", ...data }));
  const job = await run(tryon.jobs.get("job_1"));
  expect(printed(job)).toContain(`Job job_1 (${state})`);
});

it("differs from another job and image for test runners, and can be cloned", async () => {
  const { run, tryon } = createService();
  const [one, other] = [await run(tryon.submit(input)), await run(tryon.submit(input))];
  const images = [(await run(one.result())).image, (await run(other.result())).image];
  expect(one).toEqual(await run(tryon.jobs.get(one.id)));
  for (const [left, right] of [[one, other], images]) {
    expect(left).not.toEqual(right);
    expect(left).not.toStrictEqual(right);
    expect(() => deepStrictEqual(left, right)).toThrow("Expected values to be strictly deep-equal");
  }
  expect(structuredClone(one)).toEqual({ id: one.id });
  expect(structuredClone(images[0])).toEqual({ jobId: one.id });
  expect(structuredClone(one.toJSON())).toEqual(one.toJSON());
});
