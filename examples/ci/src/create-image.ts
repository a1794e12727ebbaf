import { isTryOnError, TryOn } from "@tryon/client";

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL

/** Creates the image of an order. Returns undefined if its content is blocked. */
export async function createImage(order: string, garment: string, prompt = "") {
  const input = {
    person: "https://shop.example/me.jpg",
    garments: [garment],
    prompt,
  } as const;
  try {
    const result = await tryon.run(input, { idempotencyKey: order, sync: true });
    return await result.image.bytes();
  } catch (error) {
    if (isTryOnError(error, "job_failed") && error.isContentBlocked) return undefined;
    throw error;
  }
}
