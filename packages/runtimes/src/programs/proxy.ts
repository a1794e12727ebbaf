import { TryOn } from "@tryon/client";
import { createProxy } from "@tryon/client/proxy";
import { images, photo, type ProgramContext } from "./program-context.ts";

/** Makes a try-on as a page does, through a proxy that is called as a function. */
export async function run({ baseUrl, apiKey }: ProgramContext): Promise<unknown> {
  const proxy = createProxy({ apiKey, baseUrl, authorize: () => ({ id: "ada" }) });
  const page = new TryOn({
    proxyUrl: "https://shop.example/api/tryon",
    // A request with a stream needs the option `duplex`, which the types do not have.
    fetch: (url, init) => proxy(new Request(url, { ...init, duplex: "half" } as RequestInit)),
  });
  const { job } = await page.run({ ...images, garments: [photo] });
  const refused: unknown = await page.account.get().catch((error: unknown) => error);
  return [/^job_\w+$/.test(job.id), Object(refused).code];
}
