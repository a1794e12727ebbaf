const plenty = 1_000_000_000;

/** A key with enough credits and calls that no run meets a limit. */
export const plentyKey = {
  token: "svc_live_bench",
  credits: plenty,
  rateLimitPerMinute: plenty,
} as const;

/** A submission that is answered before its job ends. */
export const submission = {
  person_url: "https://shop.example/me.jpg",
  garment_urls: ["https://shop.example/shirt.png"],
  wait: false,
} as const;
