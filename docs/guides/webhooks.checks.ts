import { readFile } from "node:fs/promises";

import { freePort } from "@tryon/test-kit/free-port";
import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { receives } from "../readmes/shared-checks.ts";

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
  "save-lost.ts": async ({ snippet, run, app }) => {
    const lose = `
      import { createWriteStream } from "node:fs";
      import { createMemoryStore } from "@tryon/webhooks";
      const { saveLost } = createSaver(
        async (key) => createWriteStream(key.replace("looks/", "")),
        createMemoryStore(),
      );
      const since = new Date(Date.now() - 60_000).toISOString();
      const { job } = await tryon.run({
        person: "https://shop.example/me.jpg",
        garments: ["https://shop.example/shirt.png"],
      });
      await saveLost(await saveLost(since));
      console.log(job.id);`;
    const id = (await run(`${snippet.code}${lose}`)).trim();
    expect((await readFile(app.path(`${id}.png`))).readUInt32BE(16)).toBe(768);
  },
};
