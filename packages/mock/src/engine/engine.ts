/** Media types of accepted images. */
export type ImageKind =
  | "image/jpeg"
  | "image/png"
  | "image/webp"
  | "image/avif"
  | "image/heic"
  | "image/gif";

/** Bytes with their own buffer, in a type that TypeScript 5.4 and later accept. */
export type Bytes = ReturnType<typeof Uint8Array.from>;

/** Image of a request, as an engine receives it. */
export type EngineImage =
  | {
      /** Field of the request that has the image. */
      readonly field: string;
      /** `bytes`: the image was in the request or was fetched. */
      readonly source: "bytes";
      /** Media type that the bytes show, whatever a header says. */
      readonly mediaType: ImageKind;
      /** Decodes the bytes again on each call. */
      readonly bytes: () => Bytes;
    }
  | {
      /** Field of the request that has the URL. */
      readonly field: string;
      /** `url`: the setting `images` is `off`. */
      readonly source: "url";
      /** URL of the image, which was not fetched. */
      readonly url: string;
    };

/** Input of an engine. */
export interface RenderRequest {
  /** Photo of the person. */
  readonly person: EngineImage;
  /** One to three images. */
  readonly garments: readonly EngineImage[];
  /** Default instruction with the caller's prompts. */
  readonly instruction: string;
  /** Seed of the job, or null without one. */
  readonly seed: number | null;
  /** Digest of images, instruction and size. */
  readonly fingerprint: string;
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
}

/** Renders the images of the server. The same request must return the same bytes. */
export interface Engine {
  /** Name such as `stock`, for messages. */
  readonly name: string;
  /**
   * Returns the reason to reject an image, or undefined. Called for each image before credits are charged. The response
   * is a 400 with the reason.
   */
  imageProblem?(image: EngineImage): Promise<string | undefined>;
  /**
   * Called once for each job after its creation and before `render`. If it throws, the model was not reached: the
   * response is a 500, and the credits are refunded.
   */
  prepare?(): Promise<void>;
  /**
   * Renders a PNG of exactly `width` × `height` pixels. If it throws, the job fails as `model_rejected`. If it returns
   * anything but a whole PNG, the job fails with a message that has the name of the engine, and the server logs it. It
   * must not wait for the server's clock, because a manual clock waits for it.
   */
  render(request: RenderRequest): Promise<Bytes>;
}

const heicBrands = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]);

/** Detects the kind of an image by its first 24 bytes. */
export function imageKind(head: Uint8Array): ImageKind | undefined {
  const text = (from: number, to: number): string =>
    String.fromCharCode(...head.subarray(from, to));
  if (text(0, 3) === "\u00FF\u00D8\u00FF") return "image/jpeg";
  if (text(0, 8) === "\u0089PNG\r\n\u001A\n") return "image/png";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (text(0, 6) === "GIF87a" || text(0, 6) === "GIF89a") return "image/gif";
  if (text(4, 8) !== "ftyp") return undefined;
  const brand = text(8, 12);
  if (brand === "avif" || brand === "avis") return "image/avif";
  return heicBrands.has(brand) ? "image/heic" : undefined;
}
