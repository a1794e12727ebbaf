export { createTryOnSession } from "./create-try-on-session.ts";
export { describeForShoppers } from "./describe-for-shoppers.ts";
export type {
  ShopperAction,
  ShopperCode,
  ShopperDetails,
  ShopperMessage,
  ShopperOptions,
  ShopperTexts,
} from "./describe-for-shoppers.ts";
export { PageClient, type PageClientOptions, type PageJobs } from "@tryon/client";
export { resetAll } from "./reset-all.ts";
export type {
  SessionClient,
  SessionError,
  Started,
  TryOnSession,
  TryOnSessionOptions,
  TryOnSnapshot,
} from "./types.ts";
export { prepareImage } from "#prepare";
export type { PreparableImage, PrepareImageOptions } from "../photos/prepare-image.ts";
