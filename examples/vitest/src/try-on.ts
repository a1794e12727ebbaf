import { isTryOnError, TryOn } from "@tryon/client";

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL

/** Outcome of a try-on, which a page of the shop shows. */
export type Outcome =
  | { readonly state: "ready"; readonly url: string }
  | { readonly state: "refused" | "closed" };

/** Makes the try-on of an order. It is charged once, even if the function is called again. */
export async function makeTryOn(order: string, person: Blob, garment: Blob): Promise<Outcome> {
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
