import { TryOn } from "@tryon/client";
import { createProxy } from "@tryon/client/proxy";
import type { ProgramContext } from "./program-context.ts";

/** Makes a try-on over HTTP through a proxy that the runtime itself serves, which rejects an unknown user. */
export async function run({ baseUrl, apiKey, listen }: ProgramContext): Promise<unknown> {
  const proxy = createProxy({
    apiKey,
    baseUrl,
    authorize: ({ headers }) => (headers.get("x-user") ? { id: "ada" } : undefined),
  });
  const proxyUrl = `${listen(proxy)}/api/tryon`;
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
  return [(await image.bytes())[1] === 80, Object(refused).code];
}
