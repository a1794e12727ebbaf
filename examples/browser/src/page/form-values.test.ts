import { expect, test } from "vitest";

import { toInput } from "./form-values.ts";

test("sends the same input each time, and no empty prompt", () => {
  const [person, garments] = [new Blob(["a"]), [new Blob(["b"])]];
  const values = { person, garments, size: "2K", prompt: "" } as const;
  expect(toInput(values)).toEqual({ person, garments, output_size: "2K" });
  expect(toInput({ ...values, prompt: "evening light" })).toMatchObject({
    prompt: "evening light",
  });
});
