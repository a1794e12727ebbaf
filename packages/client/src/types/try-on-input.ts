import type { OutputSizeInput, TryOnRequest } from "@tryon/spec/openapi";

/**
 * Readable stream of Node, such as `createReadStream(path)`.
 *
 * @inline
 */
type NodeStream = AsyncIterable<Uint8Array> & {
  /** @hidden */
  pipe(...to: never): unknown;
};

/**
 * An image: an https URL; the image itself as `Blob`, `File`, bytes, `Response` or stream; in Node also as a stream of Node
 * or a file that multer keeps in memory; or its base64, also as a data URI; in React Native also a file by its URI, such as
 * an asset of an image picker.
 */
export type ImageInput =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array
  | Response
  | ReadableStream<Uint8Array>
  | NodeStream
  | {
      /** Bytes of a file that multer keeps in memory. */
      readonly buffer: Uint8Array;
    }
  | {
      /** Base64 of the image or its data URI, up to 14,000,000 characters. */
      readonly base64: string;
    }
  | {
      /** In React Native: URI of a file of the app, such as `file:///…` or `content://…`, up to 10,500,000 bytes. */
      readonly uri: string;
    };

/** Value that JSON can represent. In objects, fields that are undefined are left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** Data of the caller that the service returns with the job. */
export type Metadata = Readonly<Record<string, JsonValue | undefined>>;

/** Number of garments. The compiler assigns `number` to an enum, but neither 0 nor 4. */
declare enum OneToThree {
  One = 1,
  Two = 2,
  Three = 3,
}

/** @inline */
interface OneToThreeImages {
  /** @hidden */
  readonly length: OneToThree;
  /** @hidden */
  readonly 0?: ImageInput;
  /** @hidden It is part of the compiler's message, at the fourth garment. */
  readonly 3?: "garments takes 1 to 3 images";
}

/** 1 to 3 garments. A literal with none or more does not compile. The client counts any other list at the call. */
export type Garments = readonly ImageInput[] & OneToThreeImages;

/**
 * Fields of a try-on. Limits and defaults are those of the service: `@see` names the section of its interface document. A
 * field that is undefined, null or empty counts as absent.
 */
export interface TryOnFields {
  /**
   * Photo of the person. An https URL as string or `URL`, up to 2,000 characters; an image as `Blob`, `File`, `ArrayBuffer`,
   * `Uint8Array`, `Response` or `ReadableStream`, up to 10,500,000 bytes; or `{ base64 }` or a data URI, up to 14,000,000
   * characters. The client copies up to 1 MiB of bytes at the call. It reads more bytes, and blobs, while it sends them: do not
   * change them before the call ends. It reads a `Response` or a stream once, before it sends anything,
   * and a retry sends what it has read. `prepareImage` shrinks a photo and turns it upright.
   * Required unless a wire form is given.
   *
   * @see TryOnRequest, rules 1 and 3
   */
  readonly person?: ImageInput | undefined;
  /**
   * List of 1 to 3 garments, each like `person`. Required unless a wire form is given.
   *
   * @see TryOnRequest, rules 2 and 3
   */
  readonly garments?: Garments | undefined;
  /**
   * Size of the result: `"1K"` (about 1,024 pixels, 8 credits), `"2K"` (2,048, 12) or `"4K"` (4,096, 20), in either case.
   *
   * @default "1K"
   * @see Output sizes and cost
   */
  readonly output_size?: OutputSizeInput | undefined;
  /**
   * Instructions, up to 1,000 characters. The service appends them to its own.
   *
   * @default none
   * @see TryOnRequest
   */
  readonly prompt?: string | null | undefined;
  /**
   * Description of what to avoid, up to 500 characters.
   *
   * @default none
   * @see TryOnRequest
   */
  readonly negative_prompt?: string | null | undefined;
  /**
   * Seed, a whole number from 0 to 2,147,483,647. The job has the same `seed`. The service does not promise the same image
   * for the same seed.
   *
   * @default none; some services choose one
   * @see TryOnRequest
   */
  readonly seed?: number | null | undefined;
  /**
   * Your data, returned with the job: an object with up to 8 keys. Each key has up to 256 characters, and so has each value
   * as text or JSON.
   *
   * @default none
   * @see TryOnRequest
   */
  readonly metadata?: Metadata | null | undefined;
  /**
   * https URL, up to 2,000 characters, that receives a signed POST when the job ends.
   *
   * @default none
   * @see Events
   */
  readonly webhook_url?: string | null | undefined;
  /**
   * Default of the option `sync` of `run`. `submit` ignores it.
   *
   * @default the client decides, as with `sync: "auto"`
   * @see TryOnRequest
   */
  readonly wait?: boolean | undefined;
  /**
   * Fields of a newer service by name, sent as they are. Must not contain a field that this package has.
   *
   * @default none
   */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;

  /**
   * Earlier form of `prompt`, up to 500 characters. Ignored if `prompt` is set.
   *
   * @deprecated Use `prompt`.
   * @default none
   * @see TryOnRequest
   */
  readonly style_hint?: string | null | undefined;
  /**
   * Wire form of `person`: an https URL, up to 2,000 characters. Ignored if `person_image_b64` is set.
   *
   * @see TryOnRequest, rule 1
   */
  readonly person_url?: string | null | undefined;
  /**
   * Wire form of `person`: base64 without a `data:` prefix, up to 14,000,000 characters.
   *
   * @see TryOnRequest, rule 1
   */
  readonly person_image_b64?: string | null | undefined;
  /**
   * Wire form of `garments`: https URLs, up to 2,000 characters each. 1 to 3 garments together with `garment_images_b64`.
   *
   * @see TryOnRequest, rule 2
   */
  readonly garment_urls?: readonly string[] | undefined;
  /**
   * Wire form of `garments`: base64 without a `data:` prefix, up to 14,000,000 characters each.
   *
   * @see TryOnRequest, rule 2
   */
  readonly garment_images_b64?: readonly string[] | undefined;
  /** Alias of `output_size`, used if that is absent. @see Aliases accepted */
  readonly resolution?: OutputSizeInput | undefined;
  /** Alias of `output_size`, used if that and `resolution` are absent. @see Aliases accepted */
  readonly size?: OutputSizeInput | undefined;
  /** Alias of `wait`: `"sync"` is true, `"async"` is false. Used if `wait` is absent. @see Aliases accepted */
  readonly mode?: TryOnRequest["mode"];
  /** Alias of `person_url`, used if that is absent. @see Aliases accepted */
  readonly model_url?: string | null | undefined;
  /** Alias of `person_url`, used if that and `model_url` are absent. @see Aliases accepted */
  readonly input_url?: string | null | undefined;
  /** Alias of `garment_urls`, used if that is absent. @see Aliases accepted */
  readonly clothing?: readonly string[] | undefined;
  /** Alias of `garment_urls`, used if that and `clothing` are absent. @see Aliases accepted */
  readonly items?: readonly string[] | undefined;
}

/**
 * Input of a try-on: {@link TryOnFields} with a person and 1 to 3 garments, as `person` and `garments` or in their wire
 * forms.
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
export type TryOnInput =
  | PersonAndGarments
  | (TryOnFields &
      // Compiler errors for other values name the last form. With `ImageInput`, they would list `string & Blob` and the like.
      (
        | { readonly person_url: string }
        | { readonly person_image_b64: string }
        | { readonly model_url: string }
        | { readonly input_url: string }
        // oxlint-disable-next-line typescript/no-generated-empty-object-type
        | { readonly person: NonNullable<unknown> }
      ) &
      (
        | { readonly garment_urls: readonly string[] }
        | { readonly garment_images_b64: readonly string[] }
        | { readonly clothing: readonly string[] }
        | { readonly items: readonly string[] }
        | { readonly garments: Garments }
      ));

/** First form of {@link TryOnInput}, with images of any kind. */
export interface PersonAndGarments extends TryOnFields {
  readonly person: ImageInput;
  readonly garments: Garments;
}

/** A {@link TryOnInput}, as the parameter of calls: the compiler names what an object literal lacks. */
// The second type accepts nothing more. With an array type in a union, the compiler compares an object literal with the
// first type. It is not part of `TryOnInput`, since lint rules reject the spread of an array into an object.
export type InputArgument = TryOnInput | (PersonAndGarments & readonly unknown[]);
