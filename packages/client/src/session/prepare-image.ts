import { loadCanvas } from "#prepare";

import type { PreparableImage, PrepareImageOptions } from "../photos/prepare-image.ts";

/**
 * Prepares a photo for a try-on: turns it upright, shrinks it, and removes its metadata, such as the location. Converts CMYK
 * to sRGB, and takes the first frame of an animation. The result is a `Blob` for `person` or `garments`. The browser decodes and
 * encodes the image, in a page or a web worker. The first call loads the code. For Node, Bun and Deno, `@tryon/client/node` has the same function.
 *
 * @throws `invalid_input` for an empty, incomplete or unknown image, for one that the browser cannot decode, such
 * as HEIC outside Safari, and for an invalid option. Also for an image that needs a change in a browser that resists
 * fingerprinting; other images are returned without their metadata there. `invalid_config` in a runtime that cannot decode images. `connection_failed`
 * if the page cannot load the code.
 * @example
 * import { prepareImage } from "@tryon/client/session";
 *
 * const person = await prepareImage(file, { maxSide: 1_536 });
 * const result = await tryon.run({ person, garments: [shirt] });
 */
export async function prepareImage(
  file: PreparableImage,
  options: PrepareImageOptions = {},
): Promise<Blob> {
  return (await loadCanvas()).prepareWithCanvas(file, options);
}
