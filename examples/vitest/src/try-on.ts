import { isTryOnError, TryOn } from "@tryon/client";

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL

/** Content of a page of the shop. */
export type Look =
  | { readonly state: "ready"; readonly url: string }
  | { readonly state: "refused" | "closed" };

/** Tries a garment on, once for each order, however often it is called. */
export async function look(order: string, person: Blob, garment: Blob): Promise<Look> {
  try {
    const options = { idempotencyKey: order, sync: true };
    const result = await tryon.run({ person, garments: [garment] }, options);
    return { state: "ready", url: await result.image.url() };
  } catch (error) {
    if (isTryOnError(error, "job_failed") && error.isContentBlocked) return { state: "refused" };
    if (isTryOnError(error, "insufficient_credits")) return { state: "closed" };
    throw error;
  }
}
