import type { Clock, OutputSize, TryOnOptions } from "@tryon/client";

/** Who a request comes from. More may stand beside `id`; `limit` gets it all. */
export interface ProxyUser {
  /**
   * Whatever names one user of the app for good, such as the id of an account. Jobs and keys belong to it: two visitors
   * with the same name share them.
   */
  readonly id: string;
}

/** What a request asks the proxy for. */
export type ProxyKind = "submit" | "get" | "list" | "account" | "purchase";

/** A request that was let in. */
export interface ProxyCall<User extends ProxyUser = ProxyUser> {
  readonly user: User;
  readonly kind: ProxyKind;
  /** Of a submission: a retry comes under the same key and is paid once, so that a limit can count it once. */
  readonly idempotencyKey?: string | undefined;
  /** The request as it came; its body must not be read. */
  readonly request: Request;
}

/** Something that the operator of the proxy should know, and that its visitors are not told. */
export interface ProxyError {
  /** What happened, and what to do. Holds no key, body or image. */
  readonly message: string;
  readonly kind?: ProxyKind | undefined;
  readonly user?: string | undefined;
  /** What the service answered, if it did. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** A field of a submission that visitors may fill in; besides these they choose among `sizes`, and whether to wait. */
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

/** How a proxy is set up. */
export interface ProxyOptions<User extends ProxyUser = ProxyUser, Context = unknown> {
  /**
   * Says who a request comes from, by its cookies or whatever the app signs its users in with. Nothing lets nobody in
   * (401), and a `Response` is handed to the visitor as it is. What it throws lets nobody in either (500).
   *
   * Second comes what the proxy was called with beside the request: from `toNodeHandler` the request of Node or Express, with
   * the session that a middleware put there; from workers their `env`; from Hono what you write, as in
   * `proxy(context.req.raw, context)`. Declare its type, and the proxy takes no other.
   *
   * @example
   * createProxy({
   *   authorize: async (request) => {
   *     const session = await readSession(request.headers.get("cookie"));
   *     return session && { id: session.userId };
   *   },
   * });
   */
  readonly authorize: (
    request: Request,
    context: Context,
  ) => Awaitable<User | Response | null | undefined | false>;
  /**
   * The API key that goes to the service. Visitors never see it.
   *
   * @default the environment variable TRYON_API_KEY, read at the first request
   */
  readonly apiKey?: string | undefined;
  /**
   * The address of the service, without `/api/v1`. Nothing in a request can change where it goes.
   *
   * @default the environment variable TRYON_BASE_URL, read at the first request
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * Path of `proxyUrl`, as it is in the requests that reach this server. The proxy responds with 404 to requests
   * outside it. Set it to `"/"` behind a server that removes the path.
   *
   * @default "/api/tryon"
   */
  readonly basePath?: string | undefined;
  /**
   * Signs job ids for their users, and makes their idempotency keys; at least 16 characters. Every instance of the proxy
   * needs the same. With another one, pages lose the jobs that they wait for, and a retry that is under way pays twice.
   *
   * @default the API key, to which jobs and keys belong anyway
   */
  readonly secret?: string | undefined;
  /**
   * How much a visitor may ask for: called before anything is read or sent. `false` refuses (429, for an hour as far as the
   * page is told), `{ retryAfter }` refuses for so many seconds. What it throws refuses too (503).
   *
   * @default no limit but the service's
   * @example
   * createProxy({ authorize, limit: createQuota({ perDay: 20 }) });
   */
  readonly limit?:
    | ((call: ProxyCall<User>) => Awaitable<boolean | { readonly retryAfter: number }>)
    | undefined;
  /**
   * Which fields visitors may fill in. Any other is refused (422), under whatever name the service would know it, and
   * `webhook_url` cannot be opened. Visitors who may fill in `metadata` also see what `addFields` puts there.
   *
   * @default person and garments, prompt, negative_prompt and seed
   */
  readonly fields?: readonly ProxyField[] | undefined;
  /**
   * Which sizes visitors may choose. The first is what they get when they choose none.
   *
   * @default ["1K"]
   */
  readonly sizes?: readonly OutputSize[] | undefined;
  /**
   * The largest body in bytes. Images sent as files become a third larger on the way, as base64.
   *
   * @default 15_000_000
   */
  readonly maxBody?: number | undefined;
  /**
   * Whether the answer to a submission may be held until the image is there, for up to 90 seconds. Set it to false where
   * requests may not take that long: pages then ask again and again instead.
   *
   * @default true
   */
  readonly sync?: boolean | undefined;
  /**
   * Origins of other sites whose pages may use this proxy, e.g. `["https://shop.example"]`. Pages of its own site
   * always may. Browsers ask first for the others: where methods are mounted one by one, mount `OPTIONS`, too.
   *
   * @default none
   */
  readonly origins?: readonly string[] | undefined;
  /**
   * Opens what is closed. `list` shows visitors a list of their own jobs, and only those that were made while it was open,
   * since they are known by a field `_tryon_user` in their metadata; each page is one of the whole key's list, so that it
   * can hold fewer jobs than asked for, or none. `account` shows them the account behind the key with its credits;
   * `purchase` lets them buy credits for it.
   *
   * @default nothing
   */
  readonly allow?:
    | { readonly [Kind in "list" | "account" | "purchase"]?: boolean | undefined }
    | undefined;
  /**
   * Fields that the proxy itself puts into each submission, over those of the visitor: a `webhook_url`, or `metadata` by which
   * the app knows the job, which is put beside the visitor's. They have to be the same each time for the same key, or a
   * retry is a conflict (409).
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
   * Whether visitors see what a try-on costs and how many credits the key has left.
   *
   * @default false
   */
  readonly exposeCredits?: boolean | undefined;
  /**
   * Is told what visitors are not: why the service refused the key, that credits have run out, what `authorize` threw.
   *
   * @default console.error
   */
  readonly onError?: ((trouble: ProxyError) => void) | undefined;
  /** Sends the requests to the service, as the option of `TryOn` does. @default the global `fetch` */
  readonly fetch?: TryOnOptions["fetch"];
  /** Where time comes from: for tests. @default the machine's clock */
  readonly clock?: Clock | undefined;
  /** As for `TryOn`: allows http to an address that is not this machine. @default false */
  readonly allowInsecure?: boolean | undefined;
  /** As for `TryOn`: allows a live key under a test runner. @default false */
  readonly allowLiveKey?: boolean | undefined;
}
