import type { Duration, ImageInput, OutputSize, TryOnOptions } from "@tryon/client";

import type { QuotaStore } from "./quota-store.ts";

/** Authenticated user of your app. It can have more fields, which `limit` and `addFields` receive too. */
export interface ProxyUser {
  /**
   * Permanent id of one user, such as an account id; must not be blank. Jobs and idempotency keys belong to this id: two
   * users with the same id share them.
   */
  readonly id: string;
}

/** Fields of a fetch `Request` that a proxy uses. Azure Functions and some others have another class with them. */
export interface ProxyRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly bodyUsed: boolean;
  /** Reads the body, in a runtime without `body`. */
  blob(): Promise<unknown>;
  readonly signal?: AbortSignal;
}

/** Operation that a request asks for. `key` reads the fingerprint of the API key, and sends nothing to the service. */
export type ProxyKind = "submit" | "get" | "key" | "list" | "account" | "purchase";

/** Request of an authenticated user. */
export interface ProxyCall<User extends ProxyUser = ProxyUser> {
  /** User that `authorize` returned. */
  readonly user: User;
  /** Operation that the request asks for. */
  readonly kind: ProxyKind;
  /** Idempotency key of a submission. A retry has the same key and is charged once, so a limit can count it once. */
  readonly idempotencyKey?: string | undefined;
  /** Original request. Do not read its body; read the body of `request.clone()` instead. */
  readonly request: Request;
}

/** Submission of an authenticated user, before its garments are resolved. */
export interface GarmentCall<User extends ProxyUser = ProxyUser> extends ProxyCall<User> {
  /** Strings that the page passed as `garments`, in its order. Any visitor can send any string. */
  readonly garments: readonly string[];
}

/** Error that only the operator of the proxy receives, not its users. */
export interface ProxyError {
  /** Description of the error and its fix. Contains no API key, body or image. */
  readonly message: string;
  /** Operation of the request. Undefined if the error came before it was known. */
  readonly kind?: ProxyKind | undefined;
  /** Id of the user, if known. */
  readonly user?: string | undefined;
  /** HTTP status of the service's response, if there was one. */
  readonly status?: number | undefined;
  /** Error that was thrown, such as by `authorize`. */
  readonly cause?: unknown;
}

/** Maximum number of refusals of a user. A refusal is a job that failed with `content_blocked`. */
export interface MaxRefusals {
  /** Number of refusals that stops the submissions of a user: a whole number from 1 up. */
  readonly count: number;
  /**
   * Time in which refusals count, from 1 minute to 30 days, in milliseconds or as a string such as `"1d"`. They are counted
   * per quarter of it, so a refusal counts for this time or up to a quarter longer.
   */
  readonly per: Duration;
  /**
   * Counters. Several processes need a store that they share, as for `createQuota`.
   *
   * @default the store of `limit` if that is a quota, or else the memory of this process
   */
  readonly store?: QuotaStore | undefined;
}

/** Refused try-on, as `onRefusal` receives it. Contains no image, prompt or key. */
export interface ProxyRefusal {
  /** Id of the user. */
  readonly user: string;
  /** Id of the job at the service. */
  readonly jobId: string;
  /** Refusals of the user that count, with this one. */
  readonly count: number;
  /** Seconds until the user may submit again. Undefined if the user is not stopped. */
  readonly retryAfter: number | undefined;
}

/** Fields of a job or of a webhook event that say if the content was refused. */
export interface RefusedJob {
  /** Id of the job at the service. */
  readonly job_id: string;
  /** Status of the job. */
  readonly status: string;
  /** `content_blocked` for a refusal. */
  readonly error_message?: string | null | undefined;
  /** End of the job, in ISO 8601. A job that ended before `per` does not count. */
  readonly completed_at?: string | null | undefined;
}

/** Field of a submission that users may set. They may also set `wait`, and choose among `sizes`. */
export type ProxyField =
  | "person_url"
  | "person_image_b64"
  | "garment_urls"
  | "garment_images_b64"
  | "prompt"
  | "negative_prompt"
  | "style_hint"
  | "seed"
  | "metadata"
  | (string & {});

/** @inline */
type Awaitable<Value> = Value | Promise<Value>;

/** Options of `createProxy`. */
export interface ProxyOptions<User extends ProxyUser = ProxyUser, Context = unknown> extends Pick<
  TryOnOptions,
  "baseUrl" | "fetch" | "transport" | "agent" | "clock" | "allowInsecure" | "allowLiveKey"
> {
  /**
   * Authenticates a request, for example by its session cookie, and returns the user. If it returns no user, the proxy
   * responds with 401. If it returns a `Response`, the proxy sends it. If it throws, the proxy responds with 500.
   *
   * The second argument is the one that the proxy was called with. `toNodeHandler` passes the request of Node or
   * Express, with the session that a middleware added. Workers pass their `env`. In Hono, pass your own, as in
   * `proxy(context.req.raw, context)`. If you declare its type, the proxy accepts only that type.
   */
  readonly authorize: (
    request: Request,
    context: Context,
  ) => Awaitable<User | Response | null | undefined | false>;
  /**
   * API key for the service, or a function that returns it. Users never receive it. The proxy calls the function once
   * for each request to the service, and requires `secret` with it.
   *
   * @default the environment variable TRYON_API_KEY, read at the first request
   */
  readonly apiKey?: TryOnOptions["apiKey"];
  /**
   * Path of `proxyUrl`, as it is in the requests that reach this server. The proxy responds with 404 to requests
   * outside it. Set it to `"/"` behind a server that removes the path.
   *
   * @default "/api/tryon"
   */
  readonly basePath?: string | undefined;
  /**
   * Secret that signs job ids and derives idempotency keys. Set at least 32 random characters, such as the output of
   * `openssl rand -base64 32`, and the same ones in all instances of the proxy. White space at its ends is ignored. Required if `apiKey` is a function.
   *
   * After a change of the secret, all job ids that pages hold get 404, and a retry in progress can be charged twice.
   * Without this option, a change of the API key has the same effect. With it, the ids stay valid, but the service finds
   * only jobs and idempotency keys of its current API key. So change either of them while no try-on is in progress.
   * A session never submits a try-on again under another API key: it ends with `outcome_unknown`.
   *
   * @default the API key, since jobs and idempotency keys belong to it
   */
  readonly secret?: string | undefined;
  /**
   * Limits the requests of a user. The proxy calls it before it reads the body or sends anything. `true` allows the
   * request. With `false` the proxy responds with 429 and a `Retry-After` of one hour. Return `{ retryAfter }` to set the
   * seconds, up to one day. If it throws, the proxy responds with 503.
   *
   * @default no limit except those of the service
   * @example
   * createProxy({ authorize, limit: createQuota({ perDay: 20 }) });
   */
  readonly limit?:
    | ((call: ProxyCall<User>) => Awaitable<
        | boolean
        | {
            /** Seconds until the next request is allowed, from 0 to one day. */
            readonly retryAfter: number;
          }
      >)
    | undefined;
  /**
   * Maximum number of refused try-ons of a user. The service can suspend the API key of all users after repeated refusals.
   * The proxy counts the refused jobs in its responses, and those that `recordRefusal` of the proxy reports, each job once.
   * At the maximum, it responds to submissions of the user with 429, and sends nothing. The client of the page then has the
   * error `too_many_refusals` with `retryAfter`. Retries of earlier submissions and other requests continue.
   *
   * Jobs that already run when a user is stopped can still be refused, so set `limit` too.
   *
   * @default no limit
   * @example
   * const limit = createQuota({ perDay: 20 });
   * const proxy = createProxy({ authorize, limit, maxRefusals: { count: 3, per: "1d" } });
   */
  readonly maxRefusals?: MaxRefusals | undefined;
  /**
   * Called with each refused try-on that counts in `maxRefusals`, so that you can warn the user or look into the account.
   *
   * @default console.warn with the id of the user and the count
   */
  readonly onRefusal?: ((refusal: ProxyRefusal) => void) | undefined;
  /**
   * Fields that users may set. The proxy rejects any other field with 422, also under an alias. `webhook_url` is not
   * allowed here; set it in `addFields`. Users who may set `metadata` also see the metadata that `addFields` adds.
   *
   * @default person and garments, prompt, negative_prompt and seed
   */
  readonly fields?: readonly ProxyField[] | undefined;
  /**
   * Sizes that users may choose. The first is used if they choose none.
   *
   * @default ["1K"]
   */
  readonly sizes?: readonly OutputSize[] | undefined;
  /**
   * Maximum size of a body in bytes; a larger one gets 413. Base64 makes images a third larger.
   *
   * @default 15_000_000
   */
  readonly maxBody?: number | undefined;
  /**
   * If true, a page can wait for the result within the submission, for up to 90 seconds. Set it to `false` if your host
   * ends requests sooner; pages then poll.
   *
   * @default true
   */
  readonly sync?: boolean | undefined;
  /**
   * Origins of other sites whose pages may use this proxy, such as `["https://shop.example"]`. Pages of the proxy's own
   * site always may. Browsers send preflight requests from other origins: if you mount methods one by one, mount
   * `OPTIONS` too.
   *
   * @default none
   */
  readonly origins?: readonly string[] | undefined;
  /**
   * Enables further operations. `list` lists the user's jobs, `account` returns the account of the API key with its
   * credits, and `purchase` buys credits for that account.
   *
   * `list` finds only jobs that were submitted while it was enabled, by a field `_tryon_user` in their metadata. It
   * filters pages of all jobs of the API key, so a page can have fewer jobs than requested, or none.
   *
   * @default none
   */
  readonly allow?:
    | {
        /** If true, users can list their own jobs. @default false */
        readonly list?: boolean | undefined;
        /** If true, users can read the account of the API key, with its credits. @default false */
        readonly account?: boolean | undefined;
        /** If true, users can buy credits for the account of the API key. @default false */
        readonly purchase?: boolean | undefined;
      }
    | undefined;
  /**
   * Returns the garments of a submission, for shops whose visitors may only choose among the shop's own products. It
   * receives the URLs that the page passed as `garments`, and returns 1 to 3 URLs or images. With this option, the proxy
   * rejects garments that a visitor uploads with 422. It also responds with 422 if the function returns nothing, and with
   * 500 if it throws. Return the same garments for the same idempotency key, or a retry is a conflict (409).
   *
   * @default the garments that the page sends
   * @example
   * createProxy({
   *   authorize,
   *   resolveGarments: async ({ garments: [page = ""] }) => {
   *     const product = await findProduct(new URL(page).pathname);
   *     return product && [product.imageUrl];
   *   },
   * });
   */
  readonly resolveGarments?:
    | ((call: GarmentCall<User>) => Awaitable<readonly ImageInput[] | null | undefined>)
    | undefined;
  /**
   * Returns fields that the proxy adds to each submission, such as `webhook_url`. They override the user's fields;
   * `metadata` is merged with the user's. Fields of a newer service go into `extra`; the proxy responds with 500 to any
   * other unknown field. Return the same fields for the same idempotency key, or a retry is a conflict
   * (409).
   *
   * @default none
   * @example
   * createProxy({
   *   authorize,
   *   addFields: ({ user }) => ({
   *     webhook_url: "https://shop.example/hooks/tryon",
   *     metadata: { customer: user.id },
   *   }),
   * });
   */
  readonly addFields?:
    | ((call: ProxyCall<User>) => Awaitable<Readonly<Record<string, unknown>>>)
    | undefined;
  /**
   * If true, users see the cost of a try-on and the remaining credits of the API key.
   *
   * @default false
   */
  readonly exposeCredits?: boolean | undefined;
  /**
   * Called with errors that users do not see, such as a rejected key, missing credits or an error of `authorize`.
   *
   * @default console.error
   */
  readonly onError?: ((error: ProxyError) => void) | undefined;
}
