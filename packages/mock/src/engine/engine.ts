import type { ImageKind } from "./image-kind.ts";

/** Bytes with their own buffer, in a type that TypeScript 5.4 and later accept. */
export type Bytes = ReturnType<typeof Uint8Array.from>;

/** Image of a request, as an engine receives it. */
export type EngineImage =
  | {
      /** Field of the request that has the image. */
      readonly field: string;
      readonly source: "bytes";
      readonly mediaType: ImageKind;
      /** Decodes the bytes again on each call. */
      readonly bytes: () => Bytes;
    }
  | {
      readonly field: string;
      readonly source: "url";
      /** URL of the image, which was not fetched. */
      readonly url: string;
    };

/** Input of an engine. */
export interface RenderRequest {
  readonly person: EngineImage;
  /** One to three images. */
  readonly garments: readonly EngineImage[];
  /** Default instruction with the caller's prompts. */
  readonly instruction: string;
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
   * Renders a PNG of exactly `width` × `height` pixels. If it throws, the job fails as `model_rejected`. It must not wait
   * for the server's clock, because a manual clock waits for it.
   */
  render(request: RenderRequest): Promise<Bytes>;
}
