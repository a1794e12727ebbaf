import { isTryOnError, TryOn } from "@tryon/client";

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL

/** Tries a garment on for an order, and gives the picture, or nothing where the content is refused. */
export async function look(order: string, garment: string, wish = "") {
  const input = {
    person: "https://shop.example/me.jpg",
    garments: [garment],
    prompt: wish,
  } as const;
  try {
    const result = await tryon.run(input, { idempotencyKey: order, sync: true });
    return await result.image.bytes();
  } catch (error) {
    if (isTryOnError(error, "job_failed") && error.isContentBlocked) return undefined;
    throw error;
  }
}
