import { digestOf } from "./images.ts";

const shortestImage = 1_000_000;

/** The digests of all images that lie as base64 anywhere in parsed JSON, bare or as a data URI. */
export function imagesIn(json: unknown): readonly string[] {
  if (typeof json === "string") {
    if (json.length < shortestImage) return [];
    const text = json.slice(json.startsWith("data:") ? json.indexOf(",") + 1 : 0);
    return [digestOf(Buffer.from(text, "base64"))];
  }
  return json !== null && typeof json === "object" ? Object.values(json).flatMap(imagesIn) : [];
}
