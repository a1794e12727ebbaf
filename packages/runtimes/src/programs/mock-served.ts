import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { images, photo } from "./program-context.ts";

/** Makes a try-on against a server that this process serves over HTTP. */
export async function run(): Promise<unknown> {
  const mock = createMock({ latency: 0 });
  const server = await serve(mock, { port: 0 });
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
  const { image } = await tryon.run({ ...images, person: photo });
  const png = await image.bytes();
  await server.close();
  mock.close();
  return [png[1] === 80];
}
