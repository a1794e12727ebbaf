import { urlProblem, type UrlRules } from "../delivery/check-url.ts";
import { imageKind, type EngineImage } from "../engine/engine.ts";
import type { ServerRule } from "../generated/server-rules.ts";
import { limits } from "./catalogue.ts";
import { badRequest, ServiceError } from "./service-error.ts";

const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;
const headCharacters = 32;
export const imageKindNames = "JPEG, PNG, WebP, AVIF, HEIC or GIF";

export interface SubmittedImage {
  readonly image: EngineImage;
  readonly source: string;
}

/** Decodes only the head; the engine decodes the rest when it needs the bytes. @throws ServiceError `bad-request` */
export function imageFromBase64(field: string, base64: string): SubmittedImage {
  const isPerson = field === "person_image_b64";
  const format = isPerson ? "request.person-image-b64.base64" : "request.garment-images-b64.base64";
  const reject = (problem: string, rule: ServerRule = format): never =>
    badRequest(`${field}: ${problem}`, rule);
  if (/^data:/i.test(base64)) {
    const rule = isPerson ? "request.person-image-b64.no-data-prefix" : format;
    reject("has a data: prefix; remove everything up to and including the comma.", rule);
  }
  if (base64.length === 0) reject("is empty; send the base64 of an image.");
  if (!base64Text.test(base64) || unpadded(base64).length % 4 === 1) {
    reject("is not valid base64 (A-Z, a-z, 0-9, + and /, with = only at the end).");
  }
  const byteLength = Math.floor((unpadded(base64).length * 3) / 4);
  if (byteLength > limits.imageBytes) {
    reject(
      `image too large: ${byteLength} bytes decoded, the maximum is ${limits.imageBytes} (about 10 MB).`,
      "submit.400.image-too-large",
    );
  }
  const mediaType = imageKind(decodeBase64(unpadded(base64.slice(0, headCharacters))));
  if (mediaType === undefined) {
    const rule = "request.images.exact-bound-and-kinds";
    return reject(`is not an image; send ${imageKindNames}.`, rule);
  }
  const bytes = () => decodeBase64(unpadded(base64));
  return { image: { field, source: "bytes", mediaType, bytes }, source: base64 };
}

export function imageFromUrl(field: string, text: string, rules: UrlRules): SubmittedImage {
  const problem = urlProblem(text, rules);
  if (problem !== undefined) return badRequest(`${field}: ${problem}`, "submit.400.bad-url");
  return { image: { field, source: "url", url: new URL(text).href }, source: text };
}

/** Returns an error for the first image at a host that ends in `.invalid` (RFC 2606), or null. */
export function fetchProblem(images: readonly EngineImage[]): ServiceError | null {
  for (const image of images) {
    if (image.source === "bytes" || !image.url.includes(".invalid")) continue;
    if (!/\.invalid\.?$/.test(new URL(image.url).hostname)) continue;
    return fetchFailed(`${image.field}: image fetch failed; the host is unreachable.`);
  }
  return null;
}

export function fetchFailed(detail: string): ServiceError {
  return new ServiceError("bad-request", detail, "submit.400.image-fetch-failed");
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, "");
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  // A head may end within a group of four characters. A single last character encodes no whole byte.
  const whole = base64.length % 4 === 1 ? base64.slice(0, -1) : base64;
  const binary = atob(whole);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
