import type { OutputSize } from "../store/records.ts";

export const sizes = {
  "1K": { credits: 8, width: 768, height: 1024 },
  "2K": { credits: 12, width: 1536, height: 2048 },
  "4K": { credits: 20, width: 3072, height: 4096 },
} as const satisfies Record<OutputSize, { credits: number; width: number; height: number }>;

export const sizeNames: readonly string[] = Object.keys(sizes);

export const packs = {
  demo: { usd: 2, credits: 100 },
  starter: { usd: 25, credits: 1_200 },
  pro: { usd: 99, credits: 5_600 },
  scale: { usd: 499, credits: 32_000 },
  enterprise: { usd: 999, credits: 72_000 },
} as const;

export type PackSlug = keyof typeof packs;

export function isPackSlug(text: string): text is PackSlug {
  return Object.hasOwn(packs, text);
}

const hour = 3_600_000;

/** Limits of the service. Durations are in milliseconds. */
export const limits = {
  garments: 3,
  urlCharacters: 2_000,
  imageBase64Characters: 14_000_000,
  /** "About 10 MB": the size of 14,000,000 characters of base64. */
  imageBytes: 10_500_000,
  imageFetch: 10_000,
  imageRedirects: 3,
  promptCharacters: 1_000,
  hintCharacters: 500,
  metadataKeys: 8,
  metadataCharacters: 256,
  maxSeed: 2_147_483_647,
  idempotencyKeyCharacters: 200,
  paymentTokenCharacters: { least: 4, most: 200 },
  bodyBytes: 64 * 1024 * 1024,
  json: { names: 10_000, containers: 10_000, depth: 200 },
  defaultPage: 20,
  syncWait: 90_000,
  resultUrlValidity: 24 * hour,
  resultRetention: 30 * 24 * hour,
  rateWindow: 60_000,
  day: 24 * hour,
  webhookResponse: 10_000,
  webhookRetryDelays: [1_000, 4_000, 16_000],
} as const;
