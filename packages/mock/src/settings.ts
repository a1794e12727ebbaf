import { originProblem } from "./cors-origins.ts";
import type { UrlRules } from "./delivery/check-url.ts";
import type { Network } from "./delivery/network.ts";
import type { Engine } from "./engine/engine.ts";
import { show } from "./shown.ts";
import type { OutputSize } from "./store/records.ts";
import { milliseconds, type Duration } from "./system/duration.ts";
import { drawLogNormal } from "./system/log-normal.ts";
import { SeededRandom } from "./system/random.ts";

export const maxCredits = 100_000_000;

export const imagesSettings = ["off", "fetch"] as const;
/**
 * Use of image URLs: `off` does not fetch them, `fetch` does.
 *
 * @useDeclaredType
 */
export type ImagesSetting = (typeof imagesSettings)[number];

/** Median of durations, and the duration that nine of ten do not exceed. */
export interface LatencyPercentiles {
  /** Median duration, above 0. */
  readonly p50: Duration;
  /** At least `p50`. */
  readonly p90: Duration;
}

/** Duration of each try-on: a constant, or drawn by size from a log-normal distribution. Other sizes take 1.5 s. */
export type JobLatency =
  | Duration
  | Readonly<Partial<Record<"1K" | "2K" | "4K", LatencyPercentiles>>>;

/** Settings of a server that no profile changes, because no point of the service is open there. */
export interface SettingsInput {
  /**
   * Duration of one try-on: a constant, or the percentiles of each size as `tryon-contract observe` writes them, such as
   * `{ "1K": { p50: "8s", p90: "14s" } }`. Durations are then drawn by the seed and the job.
   * @default "1.5s"
   */
  latency?: JobLatency;
  /**
   * Credits of each live default key but `svc_live_empty` at the start, and after a reset: 0 to 100,000,000.
   * @default 1000
   */
  credits?: number;
  /**
   * Maximum number of running jobs; further ones wait.
   * @default unlimited
   */
  concurrency?: number;
  /**
   * If true, words in `prompt` such as `mock:content_blocked` decide the outcome.
   * @default true
   */
  magic?: boolean;
  /**
   * If true, webhooks may go to loopback, also by http. Other URLs have to be public and https.
   * @default true in process and when served on loopback, else false
   */
  allowPrivateWebhooks?: boolean;
  /**
   * Use of image URLs. `off`: every well-formed public https URL counts as an image. `fetch`: the server fetches them,
   * within 10 s and 10,500,000 bytes, over at most 3 redirects; a failure is a 400.
   * @default "off"
   */
  images?: ImagesSetting;
  /**
   * If true, image URLs may be on loopback, also by http. Other URLs have to be public and https.
   * @default false
   */
  allowPrivateImages?: boolean;
  /**
   * Origins of browser pages that may send requests, such as `"https://shop.example"`. Pages of `localhost`, `127.0.0.1`
   * and `[::1]` always may, with any port. `"*"` allows every page. A request with any other `Origin` gets a 403.
   * @default []
   */
  corsOrigins?: readonly string[];
  /**
   * Renders the result images.
   * @default the stock engine
   */
  engine?: Engine;
  /**
   * Maximum number of requests in the journal. Older ones are dropped and counted.
   * @default 10000
   */
  journalLimit?: number;
  /**
   * Sends webhooks.
   * @default the global `fetch`
   */
  sendWebhook?: (request: Request) => Promise<Response>;
  /**
   * Resolves and connects to the hosts of webhooks and images, so that the connection goes to a checked host:
   * `nodeNetwork()` from `@tryon/mock/node`, or your own. `sendWebhook` takes precedence.
   * @default the global `fetch`, which checks only the URL, because browsers and workers have no DNS
   */
  network?: Network;
}

type PlainSetting = "credits" | "concurrency" | "magic" | "images" | "corsOrigins" | "journalLimit";

export interface Settings extends Readonly<Required<Pick<SettingsInput, PlainSetting>>> {
  /** Returns the duration of a job, in milliseconds. */
  readonly latency: (size: OutputSize, seed: string) => number;
  readonly webhookUrls: UrlRules;
  readonly imageUrls: UrlRules;
}

/** @throws RangeError with the setting, its bound and the value. */
export function resolveSettings(input: SettingsInput): Settings {
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
    latency: readLatency(input.latency ?? defaultLatency),
    credits: readCount("credits", input.credits, 1_000, 0, maxCredits),
    concurrency: readCount("concurrency", input.concurrency, Number.POSITIVE_INFINITY),
    magic: input.magic ?? true,
    webhookUrls: {
      allowPrivate: input.allowPrivateWebhooks ?? true,
      setting: "allowPrivateWebhooks",
    },
    imageUrls: {
      allowPrivate: input.allowPrivateImages ?? false,
      setting: "allowPrivateImages",
    },
    journalLimit: readCount("journalLimit", input.journalLimit, 10_000),
  };
}

const defaultLatency = "1.5s";
const sizes: readonly string[] = ["1K", "2K", "4K"] satisfies readonly OutputSize[];

function readLatency(latency: JobLatency): Settings["latency"] {
  if (typeof latency !== "object") {
    const duration = readDuration("latency", latency);
    return () => duration;
  }
  const usual = milliseconds(defaultLatency);
  const bySize = new Map(
    Object.entries(latency).map(([size, percentiles]) => {
      const { p50, p90 } = Object(percentiles) as LatencyPercentiles;
      const name = `latency.${size}`;
      if (!sizes.includes(size)) {
        throw new RangeError(`latency has the size ${show(size)}; the sizes are 1K, 2K and 4K.`);
      }
      const [median, high] = [readDuration(`${name}.p50`, p50), readDuration(`${name}.p90`, p90)];
      if (median <= 0) throw new RangeError(`${name}.p50 has to be above 0; got ${show(p50)}.`);
      if (high < median) {
        throw new RangeError(`${name}.p90 has to be at least p50, ${show(p50)}; got ${show(p90)}.`);
      }
      return [size, { median, high }];
    }),
  );
  return (size, seed) => {
    const found = bySize.get(size);
    if (found === undefined) return usual;
    return drawLogNormal(new SeededRandom(seed), found.median, "p90", found.high);
  };
}

function readDuration(name: string, duration: Duration): number {
  try {
    return milliseconds(duration);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`${name}: ${reason}`, { cause: error });
  }
}

function readCount(
  name: string,
  count: number | undefined,
  fallback: number,
  min = 1,
  max = Number.POSITIVE_INFINITY,
): number {
  if (count === undefined || count === fallback) return fallback;
  if (Number.isInteger(count) && count >= min && count <= max) return count;
  const end = max === Number.POSITIVE_INFINITY ? "up" : `to ${max}`;
  const usual = fallback === Number.POSITIVE_INFINITY ? "no limit" : fallback;
  throw new RangeError(
    `${name} has to be a whole number from ${min} ${end}; got ${show(count)}. Leave it out for ${usual}.`,
  );
}
