import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { digestOf, noise } from "./images.ts";
import { imagesIn } from "./images-in.ts";

test("an image of noise has the size that was asked for, and a server takes it for one", async () => {
  const image = noise(100_000);
  expect(image).toHaveLength(100_000);
  const mock = createMock();
  const answer = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.keys.test}`, "content-type": "application/json" },
    body: JSON.stringify({
      person_image_b64: image.toString("base64"),
      garment_images_b64: [noise(50_000).toString("base64")],
      wait: false,
    }),
  });
  expect(answer.status).toBe(200);
  mock.close();
});

test("images are found as base64 and as data URIs, wherever they lie", () => {
  const images = [noise(1_000_000), noise(1_000_001)] as const;
  const [first, second] = images.map((image) => image.toString("base64"));
  const json = {
    a: first,
    b: [{ url: `data:image/png;base64,${second}` }],
    prompt: "red",
    c: null,
  };
  expect(imagesIn(json)).toEqual(images.map(digestOf));
});
