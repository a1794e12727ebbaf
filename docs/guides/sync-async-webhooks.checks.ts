import { readFile } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

/** The event of the first order comes; that of the second does not, and it has waited for long. */
const orders = `
import { signedRequest } from "@tryon/webhooks";

const images = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;
await order(images, "order-1");
const [called = ""] = waiting.keys();
const secret = process.env.TRYON_WEBHOOK_SECRET ?? "";
const answer = await POST(await signedRequest({ job_id: called }, { secret }));
console.log(answer.status, waiting.size, ended.size);

await order({ ...images, prompt: "mock:content_blocked" }, "order-2");
await sweep();
console.log(waiting.size, ended.size);
for (const id of waiting.keys()) waiting.set(id, 0);
await sweep();
console.log(waiting.size, [...ended.values()].map((end) => (end === "failed" ? end : "image")));
`;

export const checks: Checks = {
  "wait.ts": async ({ snippet, run, app }) => {
    await run(snippet.code);
    expect((await readFile(app.path("order-17.png"))).readUInt32BE(16)).toBe(768);
  },

  "both.ts": async ({ snippet, run }) => {
    // The port is closed.
    const env = { TRYON_WEBHOOK_URL: "http://127.0.0.1:9/" };
    expect(await run(`${snippet.code}${orders}`, { env })).toBe(
      "204 0 1\n1 1\n0 [ 'image', 'failed' ]\n",
    );
  },
};
