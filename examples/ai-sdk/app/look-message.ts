import type { UIMessage } from "ai";

/** State of a try-on in the stream. Each one replaces the last. */
export type Look =
  | { readonly status: "running"; readonly seconds: number }
  | { readonly status: "succeeded"; readonly url: string }
  | { readonly status: "failed"; readonly text: string; readonly canRepeat: boolean };

export type LookMessage = UIMessage<never, { look: Look }>;
