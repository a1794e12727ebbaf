import {
  accepting,
  anything,
  boolean,
  duration,
  func,
  oneOf,
  OptionsError,
  readValue,
  show,
  unknownName,
  wholeNumber,
  type Rule,
  type Values,
} from "@tryon/shared/options";

import { originProblem } from "./cors-origins.ts";
import type { UrlRules } from "./delivery/check-url.ts";
import type { Network } from "./delivery/network.ts";
import type { Engine } from "./engine/engine.ts";
import { limits, sizeNames } from "./service/catalogue.ts";
import type { OutputSize } from "./store/records.ts";
import type { Duration } from "./system/duration.ts";
import { drawLogNormal } from "./system/log-normal.ts";
import { SeededRandom } from "./system/random.ts";

export const maxCredits = 100_000_000;

const imagesSettings = ["off", "fetch"] as const;
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
   * Time after which an ended job and its webhooks are forgotten, from 30 days up, in milliseconds or as `"60d"`. For servers
   * that run for long: the service keeps all jobs.
   * @default never
   */
  jobRetention?: number | string;
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

export interface Settings extends Readonly<
  Required<
    Pick<
      SettingsInput,
      "credits" | "concurrency" | "magic" | "images" | "corsOrigins" | "journalLimit"
    >
  >
> {
  readonly jobRetention: number;
  /** Returns the duration of a job, in milliseconds. */
  readonly latency: (size: OutputSize, seed: string) => number;
  readonly webhookUrls: UrlRules;
  readonly imageUrls: UrlRules;
}

const defaultLatency = 1_500;

export const settingRules = {
  latency: {
    expected: `${duration(0).expected}, or such percentiles by size`,
    read: readLatency,
    fallback: () => defaultLatency,
  },
  credits: { ...wholeNumber(0, maxCredits), fallback: 1_000 },
  concurrency: {
    ...accepting<number>(
      "a whole number from 1 up",
      (given) => given === Infinity || (Number.isInteger(given) && Number(given) >= 1),
    ),
    fallback: Infinity,
    hint: "Leave it out for no limit.",
  },
  magic: { ...boolean(), fallback: true },
  allowPrivateWebhooks: { ...boolean(), fallback: true },
  images: { ...oneOf(...imagesSettings), fallback: "off" },
  allowPrivateImages: { ...boolean(), fallback: false },
  corsOrigins: { expected: "a list of origins", read: readOrigins, fallback: [] },
  engine: anything<Engine>(),
  journalLimit: { ...wholeNumber(1), fallback: 10_000 },
  // Later than the images and the idempotency keys.
  jobRetention: {
    ...duration(limits.resultRetention, Infinity),
    expected: 'a duration from "30d" up, in milliseconds or as text',
    fallback: Infinity,
    hint: "Leave it out to keep all jobs.",
  },
  sendWebhook: func<(request: Request) => Promise<Response>>(),
  network: anything<Network>(),
} satisfies Record<keyof SettingsInput, Rule>;

export function resolveSettings({
  allowPrivateWebhooks,
  allowPrivateImages,
  ...settings
}: Values<typeof settingRules>): Settings {
  return {
    ...settings,
    webhookUrls: { allowPrivate: allowPrivateWebhooks, setting: "allowPrivateWebhooks" },
    imageUrls: { allowPrivate: allowPrivateImages, setting: "allowPrivateImages" },
  };
}

function readOrigins(given: unknown, name: string): readonly string[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const origins: readonly unknown[] = given;
  for (const origin of origins) {
    const problem = typeof origin === "string" ? originProblem(origin) : show(origin);
    if (problem !== undefined) throw new OptionsError(name, `has no origin: ${problem}`);
  }
  // Each is a string.
  return origins as readonly string[];
}

const percentile = { ...duration(), isRequired: true };

function readLatency(given: unknown, name: string): Settings["latency"] | undefined {
  if (typeof given !== "object" || given === null) {
    const time = duration(0).read(given, name);
    return time === undefined ? undefined : () => time;
  }
  const bySize = new Map(
    Object.entries(given).map(([size, value]) => {
      const path = `${name}.${size}`;
      if (!sizeNames.includes(size)) throw unknownName(`a size of ${name}`, size, sizeNames);
      const { p50, p90 } = Object(value) as LatencyPercentiles;
      const median = readValue(`${path}.p50`, p50, percentile) ?? 0;
      const high = readValue(`${path}.p90`, p90, percentile) ?? 0;
      if (high >= median) return [size, { median, high }];
      throw new OptionsError(`${path}.p90`, `must be at least p50, ${show(p50)}; got ${show(p90)}`);
    }),
  );
  return (size, seed) => {
    const found = bySize.get(size);
    if (found === undefined) return defaultLatency;
    return drawLogNormal(new SeededRandom(seed), found.median, "p90", found.high);
  };
}
