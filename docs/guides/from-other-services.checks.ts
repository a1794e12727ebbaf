import { readdir } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

export const checks: Checks = {
  "after-webhook.ts": async ({ snippet, run, folder }) => {
    // A server for the receiver, which the reference server of the program calls when the job has ended.
    const server = `
      import { createServer } from "node:http";
      import { text } from "node:stream/consumers";
      const server = createServer(async (request, response) => {
        const body = await text(request);
        const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
        const answer = await POST(new Request("http://localhost/", { method: "POST", headers, body }));
        response.writeHead(answer.status).end();
        console.log(answer.status);
        server.close();
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
      process.env.PUBLIC_URL = "http://127.0.0.1:" + server.address().port;
      console.log(await order("order-17"));`;
    const [id, status] = (await run(`${snippet.code}${server}`)).split("\n");
    expect(status).toBe("204");
    expect(await readdir(folder)).toContain(`${id}.png`);
  },
  "after-proxy.ts": async ({ snippet, run }) => {
    const calls = `
      const body = JSON.stringify({ person_url: "https://shop.example/me.jpg",
        garment_urls: ["https://shop.example/shirt.png"], wait: false });
      for (const cookie of ["session=7f3a", "session=0000"]) {
        const headers = { cookie, "content-type": "application/json", "idempotency-key": "a" };
        const address = "http://localhost/api/tryon/api/v1/tryon";
        console.log((await POST(new Request(address, { method: "POST", headers, body }))).status);
      }`;
    expect(await run(`${snippet.code}${calls}`)).toBe("200\n401\n");
  },
  "after-page.ts": async ({ snippet, run }) => {
    // A page and its proxy in one program: what the page asks for is what the service answers.
    const page = `
      globalThis.location = new URL("https://shop.example/");
      const { fetch } = globalThis;
      globalThis.fetch = (url, init) => fetch(String(url).replace("https://shop.example/api/tryon",
        process.env.TRYON_BASE_URL), { ...init, headers: { ...init.headers,
        authorization: "Bearer " + process.env.TRYON_API_KEY } });`;
    const call = `
      const picture = {};
      const image = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(900)]);
      await show(image, image, picture);
      console.log(picture.src.includes("/results/"));`;
    expect(await run(`${page}${snippet.code}${call}`)).toBe("true\n");
  },
};
