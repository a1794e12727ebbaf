import { createServer } from "node:http";

import { TryOn } from "@tryon/client";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import type { ProgramContext } from "./program-context.ts";

/** Makes a try-on through a proxy that `node:http` serves, which rejects an unknown user. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const proxy = createProxy({
    apiKey,
    baseUrl,
    authorize: ({ headers }) => (headers.get("x-user") ? { id: "ada" } : undefined),
  });
  const server = createServer(toNodeHandler(proxy));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const proxyUrl = `http://127.0.0.1:${port}/api/tryon`;
  const input = {
    person: "https://shop.example/me.jpg",
    garments: [new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)])],
  } as const;
  const page = new TryOn({
    proxyUrl,
    middleware: (request, next) => {
      request.headers.set("x-user", "ada");
      return next(request);
    },
  });
  const { image } = await page.run(input);
  const refused: unknown = await new TryOn({ proxyUrl })
    .run(input)
    .catch((error: unknown) => error);
  const kind = (await image.bytes())[1] === 80;
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  return [kind, Object(refused).code];
}
