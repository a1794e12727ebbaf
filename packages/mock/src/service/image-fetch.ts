import { abortable } from "../abortable.ts";
import { boundedBytes } from "../bounded-bytes.ts";
import { BlockedAddress, mustPass, sendGuarded, type Network } from "../delivery/network.ts";
import type { EngineImage } from "../engine/engine.ts";
import type { System } from "../system/system.ts";
import { limits } from "./catalogue.ts";
import { imageKindNames } from "./image-input.ts";
import { imageKind } from "./image-kind.ts";
import type { Submission } from "./submission.ts";

/** How long, in milliseconds of the machine, moving time by hand waits for hosts that do not answer. */
const patience = 1_000;

/** Why there is no image at an address, as the end of a sentence. */
class FetchProblem extends Error {}

/** The images of a submission, the person's first, or why there is none. */
type Fetched = readonly PromiseSettledResult<EngineImage>[];

/** What fetching stands on. */
export interface ImageFetchParts {
  readonly system: System;
  readonly network: Network | undefined;
  readonly allowPrivate: boolean;
}

/** Fetches the images of a submission that came as addresses, each within a bound of time and of bytes. */
export class ImageFetch {
  readonly #parts: ImageFetchParts;
  readonly #underWay = new Set<AbortController>();
  /** What is being fetched for calls that others may repeat meanwhile. */
  readonly #shared = new Map<string, Promise<Fetched>>();

  constructor(parts: ImageFetchParts) {
    this.#parts = parts;
  }

  /**
   * The submission with bytes in the place of addresses, or with the reason why one of them gives no image.
   *
   * @param twins what all calls have in common that are the same call, sent again: while one of them has its images
   * fetched, the others wait for the same images.
   */
  async fetched(submission: Submission, twins?: string): Promise<Submission> {
    const fetching =
      twins === undefined ? this.#fetchAll(submission) : this.#fetchOnce(submission, twins);
    const outcomes = await this.#parts.system.clock.outside(fetching, patience, true);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) return { ...submission, imageProblem: sentence(failed.reason) };
    const images = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    const [person = submission.person, ...garments] = images;
    return { ...submission, person, garments };
  }

  /** Breaks off what is being fetched. */
  close(): void {
    for (const stop of this.#underWay) stop.abort(new FetchProblem("the server was closed."));
  }

  #fetchOnce(submission: Submission, twins: string): Promise<Fetched> {
    const shared =
      this.#shared.get(twins) ??
      this.#fetchAll(submission).finally(() => this.#shared.delete(twins));
    this.#shared.set(twins, shared);
    return shared;
  }

  #fetchAll({ person, garments }: Submission): Promise<Fetched> {
    return Promise.allSettled(
      [person, ...garments].map(async (image) =>
        image.source === "bytes" ? image : this.#fetch(image.field, image.url),
      ),
    );
  }

  /** @throws FetchProblem naming the field. */
  async #fetch(field: string, address: string): Promise<EngineImage> {
    const { clock } = this.#parts.system;
    const stop = new AbortController();
    const timer = clock.setTimeout(() => {
      const seconds = limits.imageFetch / 1_000;
      stop.abort(new FetchProblem(`it had not come within ${seconds} seconds.`));
    }, limits.imageFetch);
    this.#underWay.add(stop);
    try {
      const bytes = await abortable(this.#read(address, stop.signal), stop.signal);
      const mediaType = imageKind(bytes);
      if (mediaType === undefined) {
        throw new FetchProblem(`the address gives no image; let it give ${imageKindNames}.`);
      }
      return { field, source: "bytes", mediaType, bytes: () => bytes.slice() };
    } catch (error) {
      throw new FetchProblem(`${field}: image fetch failed; ${sentence(error)}`, { cause: error });
    } finally {
      clock.clearTimeout(timer);
      this.#underWay.delete(stop);
    }
  }

  async #read(address: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    let target = address;
    for (let redirects = 0; redirects <= limits.imageRedirects; redirects += 1) {
      const response = await this.#get(target, signal).catch((error: unknown) => {
        const led = redirects > 0 && error instanceof BlockedAddress;
        throw led ? new FetchProblem(`after a redirect: ${error.message}`) : error;
      });
      const location = redirectTarget(response);
      if (location === undefined) return content(response);
      target = URL.canParse(location, target) ? new URL(location, target).href : location;
    }
    throw new FetchProblem(`it is redirected more than ${limits.imageRedirects} times.`);
  }

  async #get(target: string, signal: AbortSignal): Promise<Response> {
    const { network, allowPrivate } = this.#parts;
    const rules = { allowPrivate, setting: "allowPrivateImages" } as const;
    const url = mustPass(target, rules);
    const headers = { accept: "image/*", "user-agent": "TryOn-Images/1.0" };
    return sendGuarded(new Request(url, { headers, redirect: "manual", signal }), network, rules);
  }
}

/** Where an answer sends the caller on to, or undefined. */
function redirectTarget(response: Response): string | undefined {
  if (response.type === "opaqueredirect") {
    throw new FetchProblem("it is redirected, and this platform does not tell where to.");
  }
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  void discard(response);
  return response.headers.get("location") ?? undefined;
}

/** @throws FetchProblem when the answer is none, or longer than an image may be. */
async function content(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.ok) {
    void discard(response);
    throw new FetchProblem(`the host answered with status ${response.status}.`);
  }
  const most = limits.imageBytes;
  const announced = Number(response.headers.get("content-length")) > most;
  if (announced) void discard(response);
  const bytes = announced ? undefined : await boundedBytes(response.body, most);
  if (bytes !== undefined) return bytes;
  throw new FetchProblem(`image too large: at most ${most} bytes (about 10 MB) are taken.`);
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/** What went wrong in words for the caller; of a failed connection no more than its code. */
function sentence(error: unknown): string {
  if (error instanceof FetchProblem || error instanceof BlockedAddress) return error.message;
  const code = codeOf(error);
  return `the host cannot be reached${code === undefined ? "" : ` (${code})`}.`;
}

/** The code of a failed connection; the global fetch has it on the cause of its error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : codeOf(error.cause);
}
