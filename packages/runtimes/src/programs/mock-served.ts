import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";

/** Makes a try-on against a server that this process serves over HTTP. */
export async function run(): Promise<unknown> {
  const mock = createMock({ latency: 0 });
  const server = await serve(mock, { port: 0 });
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
  const { image } = await tryon.run({
    person: new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]),
    garments: ["https://shop.example/shirt.png"],
  });
  const png = await image.bytes();
  await server.close();
  mock.close();
  return [png[1] === 80];
}
