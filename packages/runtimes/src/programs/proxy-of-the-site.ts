import { TryOn } from "@tryon/client";

/** Makes a try-on in a page, through the proxy of its site. The proxy hides the balance. */
export async function run(): Promise<unknown> {
  const tryon = new TryOn({ proxyUrl: "/api/tryon" });
  const person = new File([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)], "me.jpg");
  const { image } = await tryon.run({ person, garments: ["https://shop.example/shirt.png"] });
  const shown = new Image();
  shown.src = await image.url();
  await shown.decode();
  const refused: unknown = await tryon.account.get().catch((error: unknown) => error);
  return [shown.naturalWidth > 0, Object(refused).code];
}
