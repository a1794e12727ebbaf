import { sign } from "@tryon/webhooks";
import { expect } from "vitest";

import type { Check } from "../code/checks.ts";

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

/** That a receiver handles an event once, and lets nothing in that is not signed. */
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
