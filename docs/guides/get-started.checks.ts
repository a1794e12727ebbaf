import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

/** Closes the receiver after its first response, so that the program ends, and submits to it. */
const orderAndEnd = `
import { subscribe } from "node:diagnostics_channel";

const server = createServer(receiver).listen(0, "127.0.0.1", async () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It has no port.");
  const images = {
    person: "https://shop.example/me.jpg",
    garments: ["https://shop.example/shirt.png"],
  } as const;
  await tryon.submit({ ...images, webhook_url: \`http://127.0.0.1:\${address.port}/\` });
});
subscribe("http.server.response.finish", (message) => {
  console.log((message as { response: { statusCode: number } }).response.statusCode);
  server.close();
});
`;

export const checks: Checks = {
  "receiver.ts": async ({ snippet, run, app }) => {
    const listening = /^createServer\(receiver\)\.listen\(3000, .*$/m;
    expect(snippet.code).toMatch(listening);
    const told = await run(snippet.code.replace(listening, orderAndEnd));
    const [, id] = /^verified: (job_\w+) succeeded\n204\n$/.exec(told) ?? [];
    expect(told).toContain(`verified: ${id}`);
    expect((await readFile(app.path(`${id}.png`))).readUInt32BE(16)).toBe(768);
  },

  "order.ts": async ({ snippet, run }) => {
    const receiver = createServer();
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    // A server that listens on a port returns this type.
    const { port } = receiver.address() as AddressInfo;
    const delivered = once(receiver, "request").then(async ([request, response]) => {
      const body = await text(request);
      response.writeHead(204).end();
      return body;
    });
    expect(snippet.code).toContain("127.0.0.1:3000");
    const told = await run(snippet.code.replace(":3000", `:${port}`));
    expect(told).toMatch(/^submitted: job_\w+\n$/);
    expect(JSON.parse(await delivered)).toMatchObject({ job_id: told.trim().split(" ").at(-1) });
    receiver.close();
  },

  "own.ts": async ({ snippet, run, app }) => {
    await run(snippet.code);
    expect((await readFile(app.path("own.png"))).readUInt32BE(16)).toBe(768);
  },
};
