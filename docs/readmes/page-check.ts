import { expect } from "vitest";

import type { Check } from "../code/checks.ts";

/** Checks that `show` of a page gets a result from a proxy of the same site and sets it on an image element. */
export const showsResultInPage: Check = async ({ snippet, run }) => {
  // A page and its proxy in one program: what the page asks for is what the service answers.
  const before = `
    globalThis.location = new URL("https://shop.example/");
    const { fetch } = globalThis;
    globalThis.fetch = (url, init) => fetch(String(url).replace("https://shop.example/api/tryon",
      process.env.TRYON_BASE_URL), { ...init, headers: { ...init.headers,
      authorization: "Bearer " + process.env.TRYON_API_KEY } });`;
  const call = `
    const element = {};
    const image = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(900)]);
    await show(image, image, element);
    console.log(element.src.includes("/results/"));`;
  expect(await run(`${before}${snippet.code}${call}`)).toBe("true\n");
};
