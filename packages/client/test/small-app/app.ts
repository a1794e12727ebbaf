// `npm run check` limits what this app costs the compiler.
import { isTryOnError, TryOn, type Bytes } from "@tryon/client";
import { batch } from "@tryon/client/batch";

const tryon = new TryOn();

export async function tryOn(person: Bytes, garment: string): Promise<Bytes | string> {
  try {
    const { image } = await tryon.run({ person, garments: [garment], output_size: "2K" });
    return await image.bytes();
  } catch (error) {
    if (isTryOnError(error, "insufficient_credits")) return "Buy credits.";
    if (isTryOnError(error)) return error.message;
    throw error;
  }
}

export async function* tryOnAll(person: string, garments: readonly string[]) {
  const items = batch(tryon, garments, {
    id: (garment) => garment,
    input: (garment) => ({ person, garments: [garment] }),
    budget: { maxCredits: 100 },
  });
  for await (const { id, result, error } of items) yield { id, image: result?.image, error };
}
