import { expect } from "vitest";

import type { Check } from "../code/checks.ts";

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
