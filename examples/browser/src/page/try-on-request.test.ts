import { TryOn } from "@tryon/client";
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
  // A submission may take 5 minutes, and has to end within the 27 of the client.
  ["without a job for 22 minutes", request, 22 * minute],
  ["with a job for a day", { ...request, job: { id: "job_1" } }, 24 * 60 * minute],
])("resumes a request %s", (_case, saved, maxAge) => {
  const tryon = new TryOn({ apiKey: "svc_test_a", baseUrl: "https://tryon.example" });
  expect(canResume(saved, maxAge - 1, tryon.idempotencyWindow)).toBe(true);
  expect(canResume(saved, maxAge, tryon.idempotencyWindow)).toBe(false);
});

test("sends the same input each time, and no empty prompt", () => {
  const { person, garments } = request;
  expect(toInput(request)).toEqual({ person, garments, output_size: "2K" });
  expect(toInput({ ...request, prompt: "evening light" })).toMatchObject({
    prompt: "evening light",
  });
});
