import type { ImageKind } from "../service/image-kind.ts";

/** Bytes in memory of their own, as every version of TypeScript since 5.4 names them. */
export type Bytes = ReturnType<typeof Uint8Array.from>;

/** One image of a request, as an engine sees it. */
export type EngineImage =
  | {
      /** The field of the request that the image came in. */
      readonly field: string;
      readonly source: "bytes";
      readonly mediaType: ImageKind;
      /** Decodes the bytes anew at each call. */
      readonly bytes: () => Bytes;
    }
  | {
      readonly field: string;
      readonly source: "address";
      /** The address of the image, which was not fetched. */
      readonly url: string;
    };

/** What an engine makes an image of. */
export interface RenderRequest {
  readonly person: EngineImage;
  /** 1 to 3. */
  readonly garments: readonly EngineImage[];
  /** The default instruction and the caller's words. */
  readonly instruction: string;
  readonly seed: number | null;
  /** Differs where the request's images, words, size or seed differ. */
  readonly fingerprint: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/**
 * Makes the images of the server, where the service has its model. The same request has to give the same bytes.
 */
export interface Engine {
  readonly name: string;
  /**
   * Describes why an image is refused, or gives undefined. Called for each image before credits are charged: the caller
   * gets a 400 with the description.
   */
  imageProblem?(image: EngineImage): Promise<string | undefined>;
  /**
   * Called once for each job after it was created and before `render`. A throw here is an error of the server before
   * the model was reached: the caller gets 500 and the credits back.
   */
  prepare?(): Promise<void>;
  /**
   * Makes a PNG of exactly `width` × `height` pixels. A throw makes the job fail as `model_rejected`. It must not wait
   * for the server's clock: time that is moved by hand waits for it.
   */
  render(request: RenderRequest): Promise<Bytes>;
}
