import type { OutputSizeInput, TryOnRequest } from "../generated/openapi.ts";
import type { ImageInput } from "../images/image-input.ts";

/** Garments: 1 to 3. A list that is written out with more does not compile; any other list is counted at the call. */
export type Garments = readonly ImageInput[] & {
  readonly 0?: ImageInput;
  readonly 3?: never;
};

/** The fields of the wire but those that this package gives a wider meaning or answers for itself. */
type WireFields = {
  readonly [Field in Exclude<keyof TryOnRequest, "person" | "garments">]?:
    | ReadonlyList<TryOnRequest[Field]>
    | undefined;
};

/** A list that need not be changeable, so that literals `as const` fit. */
type ReadonlyList<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/**
 * What to try on whom: `person` and `garments`, and any field of the wire beside them.
 *
 * @example
 * import { openAsBlob } from "node:fs";
 *
 * const input: TryOnInput = {
 *   person: await openAsBlob("me.jpg"),
 *   garments: ["https://shop.example/shirt.png"],
 *   output_size: "2K",
 * };
 */
export interface TryOnInput extends WireFields {
  /**
   * The photo of the person: an https address as text or `URL`; the image itself as `Blob`, `File`, `ArrayBuffer`, any
   * `Uint8Array`, `Response` or `ReadableStream`, up to 10,500,000 bytes; or `{ base64 }` or a data URI, up to 14,000,000
   * characters. Bytes are copied at the call, blobs are read while they are sent, and answers and streams are read once,
   * before. Stands for `person_url` and `person_image_b64`.
   */
  readonly person?: ImageInput | undefined;
  /** 1 to 3 garments, each like `person`. Stands for `garment_urls` and `garment_images_b64`. */
  readonly garments?: Garments | undefined;
  /** `"1K"` (8 credits), `"2K"` (12) or `"4K"` (20), in either case. @default "1K" */
  readonly output_size?: OutputSizeInput | undefined;
  /** Fields of a newer service, sent as they are. Must not contain a field that this package knows. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** `run` holds the first request for the result unless this is false; `submit` never waits and ignores it. */
  readonly wait?: boolean | undefined;
}
