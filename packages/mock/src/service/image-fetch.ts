import { abortable } from "../abortable.ts";
import { boundedBytes } from "../bounded-bytes.ts";
import { BlockedUrlError, requireAllowed, sendGuarded } from "../delivery/network.ts";
import { imageKind, type EngineImage } from "../engine/engine.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { fetchFailed, imageKindNames } from "./image-input.ts";
import type { Submission } from "./submission.ts";
import { patience } from "../system/system.ts";

class ImageFetchError extends Error {}

type FetchResults = readonly PromiseSettledResult<EngineImage>[];

export class ImageFetch {
  readonly #context: ServiceContext;
  readonly #inProgress = new Set<AbortController>();
  readonly #shared = new Map<string, Promise<FetchResults>>();

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /**
   * Replaces the URLs of a submission with images, or sets its `imageProblem`.
   *
   * @param shareAs id that concurrent repeats of a request have in common. They share one fetch.
   */
  async fetchImages(submission: Submission, shareAs?: string): Promise<Submission> {
    const fetching =
      shareAs === undefined ? this.#fetchAll(submission) : this.#fetchOnce(submission, shareAs);
    const outcomes = await this.#context.system.clock.outside(fetching, patience, true);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) {
      return { ...submission, imageProblem: fetchFailed(describeError(failed.reason)) };
    }
    const images = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    const [person = submission.person, ...garments] = images;
    return { ...submission, person, garments };
  }

  close(): void {
    for (const stop of this.#inProgress) stop.abort(new ImageFetchError("the server was closed."));
  }

  #fetchOnce(submission: Submission, shareAs: string): Promise<FetchResults> {
    const shared =
      this.#shared.get(shareAs) ??
      this.#fetchAll(submission).finally(() => this.#shared.delete(shareAs));
    this.#shared.set(shareAs, shared);
    return shared;
  }

  #fetchAll({ person, garments }: Submission): Promise<FetchResults> {
    return Promise.allSettled(
      [person, ...garments].map(async (image) =>
        image.source === "bytes" ? image : this.#fetch(image.field, image.url),
      ),
    );
  }

  async #fetch(field: string, url: string): Promise<EngineImage> {
    const { clock } = this.#context.system;
    const stop = new AbortController();
    const timer = clock.setTimeout(() => {
      const seconds = limits.imageFetch / 1_000;
      stop.abort(new ImageFetchError(`it did not arrive within ${seconds} seconds.`));
    }, limits.imageFetch);
    this.#inProgress.add(stop);
    try {
      const bytes = await abortable(this.#read(url, stop.signal), stop);
      const mediaType = imageKind(bytes);
      if (mediaType === undefined) {
        throw new ImageFetchError(`the URL returns no image; it must return ${imageKindNames}.`);
      }
      return { field, source: "bytes", mediaType, bytes: () => bytes.slice() };
    } catch (error) {
      throw new ImageFetchError(`${field}: image fetch failed; ${describeError(error)}`, {
        cause: error,
      });
    } finally {
      clock.clearTimeout(timer);
      this.#inProgress.delete(stop);
    }
  }

  async #read(url: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    let target = url;
    for (let redirects = 0; redirects <= limits.imageRedirects; redirects += 1) {
      const response = await this.#get(target, signal).catch((error: unknown) => {
        const isRedirected = redirects > 0 && error instanceof BlockedUrlError;
        throw isRedirected ? new ImageFetchError(`after a redirect: ${error.message}`) : error;
      });
      const location = redirectTarget(response);
      if (location === undefined) return readContent(response);
      target = URL.canParse(location, target) ? new URL(location, target).href : location;
    }
    throw new ImageFetchError(`it is redirected more than ${limits.imageRedirects} times.`);
  }

  async #get(target: string, signal: AbortSignal): Promise<Response> {
    const { settings, network } = this.#context;
    const { imageUrls } = settings;
    requireAllowed(target, imageUrls);
    const headers = { accept: "image/*", "user-agent": "TryOn-Images/1.0" };
    const request = new Request(target, { headers, redirect: "manual", signal });
    return sendGuarded(request, network, imageUrls);
  }
}

function redirectTarget(response: Response): string | undefined {
  if (response.type === "opaqueredirect") {
    throw new ImageFetchError("it is redirected, and this platform hides the target.");
  }
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  void discard(response);
  return response.headers.get("location") ?? undefined;
}

async function readContent(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.ok) {
    void discard(response);
    throw new ImageFetchError(`the host responded with status ${response.status}.`);
  }
  const max = limits.imageBytes;
  const announced = Number(response.headers.get("content-length")) > max;
  if (announced) void discard(response);
  const bytes = announced ? undefined : await boundedBytes(response.body, max);
  if (bytes !== undefined) return bytes;
  throw new ImageFetchError(`image too large: the maximum is ${max} bytes (about 10 MB).`);
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/** Describes an error to the caller. A failed connection shows only its code. */
function describeError(error: unknown): string {
  if (error instanceof ImageFetchError || error instanceof BlockedUrlError) return error.message;
  const code = codeOf(error);
  return `the host is unreachable${code === undefined ? "" : ` (${code})`}.`;
}

/** Reads the code of a failed connection. The global fetch has it on the cause of its error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : codeOf(error.cause);
}
