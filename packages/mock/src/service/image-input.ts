import { guardAddress } from "../delivery/address-guard.ts";
import type { EngineImage } from "../engine/engine.ts";
import { limits } from "./catalogue.ts";
import { imageKind } from "./image-kind.ts";
import { ServiceError } from "./service-error.ts";

const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;
const headCharacters = 32;
/** The kinds of images that are taken, for a sentence. */
export const imageKindNames = "JPEG, PNG, WebP, AVIF, HEIC or GIF";

/**
 * Takes an image that came as base64. It is looked at without being decoded as a whole; the engine decodes it when it
 * needs the bytes.
 *
 * @throws Refusal `bad-request` naming the field and what is wrong with it.
 */
export function imageFromBase64(field: string, base64: string): EngineImage {
  const refuse = (problem: string): never => {
    throw new ServiceError("bad-request", `${field}: ${problem}`);
  };
  if (/^data:/i.test(base64)) {
    refuse("has a data: prefix; drop everything up to and including the comma.");
  }
  if (base64.length === 0) refuse("is empty; send the base64 of an image.");
  if (!base64Text.test(base64) || unpadded(base64).length % 4 === 1) {
    refuse("is not valid base64 (A-Z, a-z, 0-9, + and /, with = only at the end).");
  }
  const byteLength = Math.floor((unpadded(base64).length * 3) / 4);
  if (byteLength > limits.imageBytes) {
    refuse(
      `image too large: ${byteLength} bytes decoded, at most ${limits.imageBytes} (about 10 MB) are taken.`,
    );
  }
  const mediaType = imageKind(decodeBase64(unpadded(base64.slice(0, headCharacters))));
  if (mediaType === undefined) return refuse(`is not an image; send ${imageKindNames}.`);
  return {
    field,
    source: "bytes",
    mediaType,
    bytes: () => decodeBase64(unpadded(base64)),
  };
}

/**
 * Takes an image that is named by its address. The address is checked and nothing more: where images are not
 * fetched, a well-formed public one counts as an image.
 *
 * @throws Refusal `bad-request` naming the field and what is wrong with it.
 */
export function imageFromUrl(
  field: string,
  address: string,
  rules: { allowPrivate: boolean },
): EngineImage {
  const verdict = guardAddress(address, rules);
  if (!verdict.ok) {
    const wayOut = verdict.private ? " The setting allowPrivateImages admits loopback." : "";
    throw new ServiceError("bad-request", `${field}: ${verdict.problem}${wayOut}`);
  }
  return { field, source: "address", url: verdict.url.href };
}

/** Says which image cannot be fetched, or null: nothing can be at a host that ends in `.invalid` (RFC 2606). */
export function fetchProblem(images: readonly EngineImage[]): string | null {
  for (const image of images) {
    if (image.source === "bytes" || !/\.invalid\.?$/.test(new URL(image.url).hostname)) continue;
    return `${image.field}: image fetch failed; the host of the address cannot be reached.`;
  }
  return null;
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, "");
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  // A head may be cut in the middle of a group of four; a lone last character holds no whole byte.
  const whole = base64.length % 4 === 1 ? base64.slice(0, -1) : base64;
  const binary = atob(whole);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
