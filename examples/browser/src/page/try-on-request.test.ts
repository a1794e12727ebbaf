import { expect, test } from "vitest";

import { canResume, toInput, type TryOnRequest } from "./try-on-request.ts";

const minute = 60_000;
const request: TryOnRequest = {
  idempotencyKey: "a",
  startedAt: 0,
  person: new Blob(["a"]),
  garments: [new Blob(["b"])],
  size: "2K",
  prompt: "",
};

test.each([
  ["without a job for 30 minutes", request, 30 * minute],
  ["with a job for a day", { ...request, job: { id: "job_1" } }, 24 * 60 * minute],
])("resumes a request %s", (_case, saved, maxAge) => {
  expect(canResume(saved, maxAge - 1)).toBe(true);
  expect(canResume(saved, maxAge)).toBe(false);
});

test("sends the same input each time, and no empty prompt", () => {
  const { person, garments } = request;
  expect(toInput(request)).toEqual({ person, garments, output_size: "2K" });
  expect(toInput({ ...request, prompt: "evening light" })).toMatchObject({
    prompt: "evening light",
  });
});
