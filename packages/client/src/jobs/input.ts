import type { OutputSizeInput, TryOnRequest } from "../generated/openapi.ts";
import type { ImageInput } from "../images/image-input.ts";

/** 1 to 3 garments. A literal with more does not compile, and any other list is counted at the call. */
export type Garments = readonly ImageInput[] & {
  readonly 0?: ImageInput;
  readonly 3?: never;
};

/** Fields of the request body, except those that have a wider type here. Lists may be readonly. */
type WireFields = {
  readonly [Field in Exclude<keyof TryOnRequest, "person" | "garments">]?:
    | ReadonlyList<TryOnRequest[Field]>
    | undefined;
};

type ReadonlyList<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/**
 * Input of a try-on: `person`, `garments`, and any field of the request body.
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
   * Photo of the person. An https URL as string or `URL`; an image as `Blob`, `File`, `ArrayBuffer`, `Uint8Array`, `Response`
   * or `ReadableStream`, up to 10,500,000 bytes; or `{ base64 }` or a data URI, up to 14,000,000 characters. The client copies
   * bytes at the call and reads blobs while it sends them. It reads a `Response` or a stream once, before it sends anything.
   * Replaces `person_url` and `person_image_b64`.
   */
  readonly person?: ImageInput | undefined;
  /** 1 to 3 garments, each like `person`. Replaces `garment_urls` and `garment_images_b64`. */
  readonly garments?: Garments | undefined;
  /** `"1K"` (8 credits), `"2K"` (12) or `"4K"` (20), in either case. @default "1K" */
  readonly output_size?: OutputSizeInput | undefined;
  /** Fields of a newer service, sent as they are. Must not contain a field that this package knows. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Default of the option `sync` of `run`. `submit` ignores it. */
  readonly wait?: boolean | undefined;
}
