import { readFile } from "node:fs/promises";

import { sign } from "@tryon/webhooks";
import { expect } from "vitest";

import type { Check } from "../code/checks.ts";

/** Checks that `show` of a page gets a result from a proxy of the same site and sets it on an image element. */
export const showsImageInPage: Check = async ({ snippet, run }) => {
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

/** Checks that the exported proxy accepts a try-on from a known user, and from no one else. */
export function acceptsKnownUsersOnly(name: string): Check {
  return async ({ snippet, run }) => {
    const call = `
    const body = JSON.stringify({ person_url: "https://shop.example/me.jpg",
      garment_urls: ["https://shop.example/shirt.png"], wait: false });
    for (const cookie of ["session=7f3a", "session=0000"]) {
      const headers = { cookie, "content-type": "application/json", "idempotency-key": "a" };
      const request = new Request("http://localhost/api/tryon/api/v1/tryon", { method: "POST", headers, body });
      console.log((await ${name}(request)).status);
    }`;
    expect(await run(`${snippet.code}${call}`)).toBe("200\n401\n");
  };
}

/** Checks that a program saves an image of the requested size. */
export const savesImageAt2K: Check = async ({ snippet, run, app }) => {
  await run(snippet.code);
  const png = await readFile(app.path("out.png"));
  expect(png.readUInt32BE(16)).toBe(1_536);
  expect(png.readUInt32BE(20)).toBe(2_048);
};

const body = JSON.stringify({
  event: "tryon.completed",
  job_id: "job_abc",
  status: "failed",
  result_url: null,
  error_code: "generation_failed",
  error_message: "content_blocked",
  duration_ms: 10,
  completed_at: "2026-01-01T00:00:00Z",
});

/** Checks that a receiver handles an event once, and rejects one that is not signed. */
export const receivesOnce: Check = async ({ snippet, run }) => {
  const secret = "whsec_of_this_check";
  const signature = await sign({ body, secret });
  const calls = `
    const call = async (signature: string) =>
      (await POST(new Request("http://localhost/", { method: "POST", body: ${JSON.stringify(body)},
        headers: { "x-service-signature": signature } }))).status;
    const right = ${JSON.stringify(signature)};
    console.log(await call(right), await call(right), await call("sha256=" + "0".repeat(64)));`;
  const told = await run(`${snippet.code}${calls}`, { env: { TRYON_WEBHOOK_SECRET: secret } });
  expect(told).toMatch(/^job_abc failed[^\n]*\n204 204 400\n$/);
};
