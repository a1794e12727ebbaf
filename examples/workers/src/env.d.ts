/// <reference types="@cloudflare/workers-types" />
import type { TryOnEvent } from "./try-on-event.ts";

declare global {
  namespace Cloudflare {
    /** Bindings of `wrangler.jsonc` and secrets of `wrangler secret put`. */
    interface Env {
      readonly TRYON_API_KEY: string;
      readonly TRYON_BASE_URL: string;
      readonly TRYON_WEBHOOK_SECRET: string;
      readonly TRYON_WEBHOOK_URL: string;
      readonly EVENTS: DurableObjectNamespace<TryOnEvent>;
      readonly SESSIONS: KVNamespace;
      readonly IMAGES: R2Bucket;
    }
  }
}
