import { originProblem } from "./cors-origins.ts";
import type { Network } from "./delivery/network.ts";
import type { Engine } from "./engine/engine.ts";
import { milliseconds, type Duration } from "./system/duration.ts";

/** Whether images that come as addresses are fetched. */
export const imagesSettings = ["off", "fetch"] as const;
/**
 * Whether images that come as addresses are fetched.
 *
 * @useDeclaredType
 */
export type ImagesSetting = (typeof imagesSettings)[number];

/** What a server is set to besides its options: nothing here is an open point of the service, and no profile sets it. */
export interface SettingsInput {
  /**
   * How long the model takes for one try-on.
   * @default "1.5s"
   */
  latency?: Duration;
  /**
   * How many jobs run at once; further ones wait for a place.
   * @default unlimited
   */
  concurrency?: number;
  /**
   * Whether `prompt` may steer the outcome by words such as `mock:content_blocked`.
   * @default true
   */
  magic?: boolean;
  /**
   * Whether webhooks may go to http and loopback addresses.
   * @default true in process and when served on loopback, else false
   */
  allowPrivateWebhooks?: boolean;
  /**
   * Whether images that come as addresses are fetched. `off`: every well-formed public https address counts as an image.
   * `fetch`: they are, within 10 s and 10,500,000 bytes, over at most 3 redirects; what fails is a 400.
   * @default "off"
   */
  images?: ImagesSetting;
  /**
   * Whether image addresses may be http and loopback addresses.
   * @default false
   */
  allowPrivateImages?: boolean;
  /**
   * Origins of browser pages that may call the server, such as `"https://shop.example"`, besides pages of this machine:
   * `localhost`, `127.0.0.1` and `[::1]` with any port. `"*"` allows every page. A call with any other `Origin` gets a
   * 403.
   * @default []
   */
  corsOrigins?: readonly string[];
  /**
   * The image maker.
   * @default the stock engine
   */
  engine?: Engine;
  /**
   * How many calls the journal keeps; older ones are dropped and counted.
   * @default 10000
   */
  journalLimit?: number;
  /**
   * Sends webhooks: a function like the global `fetch`, which it is by default.
   */
  sendWebhook?: (request: Request) => Promise<Response>;
  /**
   * Resolves and reaches the hosts of webhooks and images, so that what a name leads to is checked and is what is
   * connected to: `nodeNetwork()` from `@tryon/mock/node`, or your own. `sendWebhook` goes before it.
   * @default the global `fetch`, with a check of the address alone, as there is no DNS in browsers and workers
   */
  network?: Network;
}

export interface Settings {
  readonly latency: number;
  readonly concurrency: number;
  readonly magic: boolean;
  readonly allowPrivateWebhooks: boolean;
  readonly allowPrivateImages: boolean;
  readonly images: ImagesSetting;
  readonly corsOrigins: readonly string[];
  readonly journalLimit: number;
}

/** @throws RangeError naming the setting, its bound and what was given. */
export function resolveSettings(input: SettingsInput): Settings {
  const concurrency = input.concurrency ?? Number.POSITIVE_INFINITY;
  if (
    concurrency !== Number.POSITIVE_INFINITY &&
    !(Number.isInteger(concurrency) && concurrency > 0)
  ) {
    throw new RangeError(
      `concurrency has to be a whole number from 1 up, or left out for no limit; got ${concurrency}.`,
    );
  }
  const images = input.images ?? "off";
  if (!imagesSettings.includes(images)) {
    throw new RangeError(`images has to be one of ${imagesSettings.join(", ")}; got ${images}.`);
  }
  const corsOrigins = [...(input.corsOrigins ?? [])];
  for (const origin of corsOrigins) {
    const problem = originProblem(origin);
    if (problem !== undefined) throw new RangeError(`corsOrigins: ${problem}`);
  }
  return {
    images,
    corsOrigins,
    latency: readLatency(input.latency ?? "1.5s"),
    concurrency,
    magic: input.magic ?? true,
    allowPrivateWebhooks: input.allowPrivateWebhooks ?? true,
    allowPrivateImages: input.allowPrivateImages ?? false,
    journalLimit: readJournalLimit(input.journalLimit ?? 10_000),
  };
}

function readLatency(latency: Duration): number {
  try {
    return milliseconds(latency);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`latency: ${reason}`, { cause: error });
  }
}

function readJournalLimit(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RangeError(
    `journalLimit has to be a whole number from 1 up; got ${limit}. Leave it out for 10,000.`,
  );
}
