/** Limits of recorded requests with live keys. */
export interface LiveLimits {
  /** If true, keys other than test keys may be used. */
  readonly allowLive?: boolean | undefined;
  /** Maximum cost of all try-ons, in credits. Required with `allowLive`. */
  readonly maxCredits?: number | undefined;
}

/** Admitted request. */
export interface Permit {
  /** Corrects the reserved credits by the response, if there is one. */
  settle(status: number | undefined, cost: unknown): void;
}

/** Maximum price of a try-on, that of 4K. The size can come after megabytes of images, so it is not known in time. */
const maxPrice = 20;

const free: Permit = { settle: () => undefined };

/** Decides which requests are sent to the service. Only live keys cost money. */
export class LiveGuard {
  readonly #limits: LiveLimits;
  #spent = 0;

  constructor(limits: LiveLimits) {
    this.#limits = limits;
  }

  /** Returns a permit, or the reason for a refusal. */
  admit(method: string, path: string, authorization: string | undefined): Permit | string {
    const isLive = authorization !== undefined && !/^Bearer\s+svc_test_/i.test(authorization);
    if (!isLive) return free;
    const { allowLive, maxCredits = 0 } = this.#limits;
    if (allowLive !== true) {
      return "The recorder refuses live keys. Use a test key, or --allow-live with --max-credits.";
    }
    if (method !== "POST") return free;
    const [pathname = ""] = path.split("?");
    if (pathname.includes("/credits")) return "The recorder sends no purchase with a live key.";
    if (this.#spent + maxPrice > maxCredits) {
      return `The recorder refuses a try-on: --max-credits ${maxCredits} leaves ${maxCredits - this.#spent}, and one of 4K costs ${maxPrice}.`;
    }
    this.#spent += maxPrice;
    return {
      settle: (status, cost) => {
        // The outcome of a 5xx is unknown, and a repeated response may cost nothing: neither is credited.
        if (typeof cost === "number") this.#spent += Math.max(0, cost) - maxPrice;
        else if (status !== undefined && status >= 400 && status < 500) this.#spent -= maxPrice;
      },
    };
  }
}
