import { readdir } from "node:fs/promises";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { acceptsKnownUsersOnly, showsImageInPage } from "../readmes/shared-checks.ts";

export const checks: Checks = {
  "after-webhook.ts": async ({ snippet, run, app }) => {
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
    expect(await readdir(app.folder)).toContain(`${id}.png`);
  },
  "after-proxy.ts": acceptsKnownUsersOnly("POST"),
  "after-page.ts": showsImageInPage,
};
