import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

const calls = `
const images = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;
console.log(await make(images, "order-1"));
console.log(await make({ ...images, prompt: "mock:content_blocked" }, "order-2"));
console.log(await make({ ...images, prompt: "mock:model_rejected" }, "order-3"));
console.log(await make({ ...images, person: "http://shop.example/me.jpg" }, "order-4"));
await fetch(new URL("/__mock/faults", process.env.TRYON_BASE_URL), {
  method: "POST",
  headers: {
    authorization: "Bearer " + process.env.TRYON_MOCK_TOKEN,
    "content-type": "application/json",
  },
  body: JSON.stringify({ on: "POST /api/v1/tryon", status: 502, times: 4 }),
});
console.log(await make(images, "order-5"));
`;

const described = `
import { InputError, JobFailedError, TryOn } from "@tryon/client";

const tryon = new TryOn({ retries: 0 });
const images = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;
for (const input of [{ ...images, prompt: "mock:content_blocked" }, { ...images, seed: -1 }]) {
  const error = await tryon.run(input).catch((reason: unknown) => reason);
  console.log(describe(error), error instanceof JobFailedError, error instanceof InputError);
}
`;

export const checks: Checks = {
  "make.ts": async ({ snippet, run, server }) => {
    const [made, ...others] = (await run(`${snippet.code}${calls}`)).trim().split("\n");
    expect(made).toContain(`${server.url}/results/`);
    expect(others.pop()).toContain(`${server.url}/results/`);
    expect(others).toEqual([
      "We cannot use these images.",
      "That did not work out.",
      "Please choose other images: person",
    ]);
  },
  "switch.ts": async ({ snippet, run }) => {
    const lines = (await run(`${snippet.code}${described}`)).trim().split("\n");
    expect(lines).toEqual([
      "Choose other images. true false",
      "seed is not a whole number from 0 to 2147483647. false true",
    ]);
  },
};
