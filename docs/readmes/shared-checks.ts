import { readFile } from "node:fs/promises";

import { freePort } from "@tryon/test-kit/free-port";
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

export const savesImageAt2K: Check = async ({ snippet, run, app }) => {
  await run(snippet.code);
  const png = await readFile(app.path("out.png"));
  expect(png.readUInt32BE(16)).toBe(1_536);
  expect(png.readUInt32BE(20)).toBe(2_048);
};

/** Sends a forged event, then one event twice, and prints the statuses. */
const calls = (send: string): string => `
  import { createMemoryStore, signedRequest } from "@tryon/webhooks";
  const send = async (secret: string, url: string): Promise<number> => {
    const request = await signedRequest({ job_id: "job_abc" }, { secret, url });
    return (${send}).status;
  };
  const statuses = [];
  for (const secret of ["whsec_other", process.env.TRYON_WEBHOOK_SECRET, process.env.TRYON_WEBHOOK_SECRET])
    statuses.push(await send(secret, process.env.TRYON_WEBHOOK_URL));
  console.log(...statuses);
  process.exit();`;

/** Checks that a receiver, which is called by `send`, rejects a forged event and handles a valid one once. */
export const receives =
  (send: string): Check =>
  async ({ snippet, run }) => {
    const port = String(await freePort());
    const code = snippet.code
      .replace("3000", port)
      // The store of the page needs a Redis server.
      .replace(/^const redis = .*$/m, "")
      .replace("createRedisStore(redis)", "createMemoryStore()");
    const env = { TRYON_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/tryon` };
    const printed = await run(`${code}${calls(send)}`, { env });
    expect(printed).toMatch(/^job_abc succeeded[^\n]*\n400 204 204\n$/);
  };
