import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

/** Three pages submit and are closed. Each event comes twice. */
const closedPages = `
import { signedRequest } from "@tryon/webhooks";

const secret = process.env.TRYON_WEBHOOK_SECRET ?? "";
const submit = (prompt: string) =>
  new TryOn({
    proxyUrl: "https://shop.example/api/tryon",
    fetch: (url, init) => proxy(new Request(url, init)),
  }).submit({
    person: "https://shop.example/me.jpg",
    garments: ["https://shop.example/shirt.png"],
    prompt,
  });
for (const prompt of [1, 2, 3].map((index) => "mock:content_blocked " + index)) {
  const { id } = await submit(prompt);
  const job_id = (await proxy.toServiceJobId({ id: "ada" }, id)) ?? "";
  const refused = { status: "failed", error_message: "content_blocked" } as const;
  const deliver = async () => POST(await signedRequest({ job_id, ...refused }, { secret }));
  console.log((await deliver()).status, (await deliver()).status);
}
console.log(await submit("").catch((error) => error.code));
`;

export const checks: Checks = {
  "count-refusals.ts": async ({ snippet, run }) => {
    const env = { TRYON_WEBHOOK_URL: "http://127.0.0.1:9/" };
    expect(await run(`${snippet.code}${closedPages}`, { env })).toBe(
      "204 204\n204 204\n204 204\ntoo_many_refusals\n",
    );
  },
};
