import { freePort } from "@tryon/test-kit/free-port";
import { expect } from "vitest";

import type { Check, Checks } from "../code/checks.ts";

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

/** Checks a receiver that is called by `send`. */
const receives =
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
    expect(printed).toMatch(/^job_abc succeeded\n400 204 204\n$/);
  };

const overHttp = receives("await fetch(request)");

export const checks: Checks = {
  "express.ts": overHttp,
  "fastify.ts": overHttp,
  "koa.ts": overHttp,
  "hono.ts": receives("await app.fetch(request)"),
  "next.ts": receives("await POST(request)"),
  "workers.ts": receives("await receiver(request)"),
  "save-delivery.ts": async ({ snippet, run }) => {
    const port = String(await freePort());
    const printed = await run(`
      ${snippet.code.replace("3000", port)}
      import { readFile } from "node:fs/promises";
      import { safeVerify, signedRequest } from "@tryon/webhooks";
      const secret = "whsec_of_the_check";
      const url = "http://127.0.0.1:${port}/hook";
      const request = await signedRequest({ job_id: "job_abc" }, { secret, url });
      await fetch(request.clone());
      const body = await readFile("body.json");
      console.log((await safeVerify({ body, headers: request.headers, secrets: secret })).ok);
      process.exit();`);
    expect(printed).toMatch(/^X-Service-Signature: sha256=\w{64}\ntrue\n$/);
  },
  "lambda.ts": receives(`{
    status: (await handler({
      httpMethod: "POST",
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    })).statusCode,
  }`),
};
