import { TryOn } from "@tryon/client";
import { createProxy, type Proxy } from "@tryon/client/proxy";
import { images, photo, type ProgramContext } from "./program-context.ts";

/** Creates a proxy for a user with a header. */
export function createUserProxy({ baseUrl, apiKey }: ProgramContext): Proxy {
  return createProxy({
    apiKey,
    baseUrl,
    authorize: ({ headers }) => (headers.get("x-user") ? { id: "ada" } : undefined),
  });
}

/** Makes a try-on through the proxy, which rejects an unknown user. */
export async function runThrough(proxyUrl: string): Promise<unknown> {
  const input = { ...images, garments: [photo] } as const;
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
