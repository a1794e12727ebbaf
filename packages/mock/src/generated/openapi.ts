// Generated from spec/openapi.json by `npm run generate`. Do not edit.

/** Every endpoint, for openapi-fetch. */
export interface paths {
    "/api/v1/tryon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List try-on jobs
         * @description The jobs of the calling key, newest first, a page at a time. Follow `next_cursor` until it is null.
         */
        get: operations["listTryOns"];
        put?: never;
        /**
         * Submit a try-on
         * @description Starts one try-on. The price of the requested size is deducted in one atomic step before the model is called, so concurrent submissions never overdraw a key.
         *
         *     By default the answer is held back until the job has ended. If that takes more than 90 seconds, a 200 says `running` and its `message` names the address to poll; the job goes on. With `wait: false` the answer comes at once, also with `status` `running`.
         *
         *     A job that goes wrong once the model has been reached is **not** an HTTP error: it is a 200 whose `status` is `failed` and whose `error_code` and `error_message` say why. Whether its credits come back depends on the deployment, so look at the balance rather than assume.
         *
         *     Send an `Idempotency-Key` with every submission that may be retried: without one, a retry is a second, separately paid try-on.
         */
        post: operations["submitTryOn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tryon/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one try-on job
         * @description Where a job stands. Every call signs `result_url` anew, good for 24 hours from then, so an expired link is renewed by asking again. The image itself is deleted 30 days after it was made.
         */
        get: operations["getTryOn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the calling key's balance, limits and prices
         * @description Balance, label, rate limit and call count belong to the key and not to the account: each key has its own.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credits/purchase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Buy a pack of credits with a payment token
         * @description Lets an agent buy a pack with a token its user granted for this service. The payment processor takes the money; card data never passes through here.
         *
         *     With `status` `succeeded` the credits are on the calling key when the answer arrives. With `processing` or `requires_action` the answer also comes at once, but the credits follow only when the processor reports `payment_intent.succeeded` to the service.
         *
         *     The pair of key and token identifies a purchase, so the same call can safely be made again. A test key gets a made-up `succeeded` without the processor being contacted, and no real credits.
         */
        post: operations["purchaseCredits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Discovery document at the root
         * @description The document of `/api/discovery`, for those who know only the host.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/discovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Discovery document
         * @description Says what the deployment can do, so that an agent can find out how to buy credits.
         */
        get: operations["getDiscovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Documentation for people
         * @description An HTML page about the API.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description, for programs
         * @description The OpenAPI 3.1 description of the deployment.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "tryon.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A job has ended
         * @description Sent to the `webhook_url` of a job that has reached `succeeded` or `failed`.
         *
         *     Delivery is best effort: one attempt, then at most 3 more after 1, 4 and 16 seconds. An attempt counts as delivered when any 2xx answer arrives within 10 seconds, so the same event can come more than once, and a missed one has to be found by polling.
         *
         *     Check the signature over the bytes as received, before parsing: HMAC-SHA256 keyed with the webhook secret (`whsec_…`, shown once when the key is made), in hexadecimal after `sha256=`, compared in constant time.
         */
        post: operations["onTryOnCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description One try-on: a person, one to three garments, and how to make the image.
         *
         *     The schema states what is checked field by field (422). Two rules span fields and are answered with 400: there has to be a person (`person_url` or `person_image_b64`), and `garment_urls` and `garment_images_b64` together have to name 1 to 3 garments. Every image URL and the webhook URL has to be HTTPS; one that is malformed, blocked or cannot be fetched is a 400 as well.
         *
         *     A few fields have alternative names. The canonical name is preferred, and wins when both are filled. A property that is not listed here is accepted.
         */
        TryOnRequest: {
            /**
             * Format: uri
             * @description HTTPS address of the person's photo. Not used when `person_image_b64` is set.
             */
            person_url?: string | null;
            /** @description The person's photo in base64, without a `data:` prefix; about 10 MB once decoded. Wins over `person_url`. */
            person_image_b64?: string | null;
            /** @description HTTPS addresses of garment images. May be mixed with `garment_images_b64`: 1 to 3 garments in all. */
            garment_urls?: string[];
            /** @description Garment images in base64, without a `data:` prefix, each up to about 10 MB once decoded. May be mixed with `garment_urls`: 1 to 3 garments in all. */
            garment_images_b64?: string[];
            /**
             * @description How large the result is, and so what it costs. Also accepted as `resolution` or `size`.
             * @default 1K
             */
            output_size?: components["schemas"]["OutputSizeInput"];
            /** @description Your own direction. It is added to the service's instruction and never takes its place; the rules that keep the person recognisable and the content safe stay in force whatever it says. */
            prompt?: string | null;
            /**
             * @deprecated
             * @description The older form of `prompt`, which replaces it. Has no effect when `prompt` is set.
             */
            style_hint?: string | null;
            /** @description What the image should not show. */
            negative_prompt?: string | null;
            /**
             * @description True holds the answer until the job has ended, for 90 seconds at most. False gives the id of the job without waiting. Wins over `mode`.
             * @default true
             */
            wait?: boolean;
            /**
             * Format: uri
             * @description HTTPS address that gets the signed `tryon.completed` event when the job has ended.
             */
            webhook_url?: string | null;
            /** @description Yours to use. It comes back unchanged with the answer and on every poll. */
            metadata?: components["schemas"]["MetadataInput"] | null;
            /** @description Fixes the randomness of the generation. Comes back in the answer. */
            seed?: number | null;
            /** @description Another name for `output_size`. */
            resolution?: components["schemas"]["OutputSizeInput"];
            /** @description Another name for `output_size`. */
            size?: components["schemas"]["OutputSizeInput"];
            /**
             * @description Another way to say `wait`: `sync` is true, `async` is false. Has no effect when `wait` is set.
             * @enum {string}
             */
            mode?: "sync" | "async";
            /**
             * Format: uri
             * @description Another name for `person_url`, used only when that is empty.
             */
            person?: string | null;
            /**
             * Format: uri
             * @description Another name for `person_url`, used only when that is empty.
             */
            model_url?: string | null;
            /**
             * Format: uri
             * @description Another name for `person_url`, used only when that is empty.
             */
            input_url?: string | null;
            /** @description Another name for `garment_urls`, used only when that is empty. */
            garments?: string[];
            /** @description Another name for `garment_urls`, used only when that is empty. */
            clothing?: string[];
            /** @description Another name for `garment_urls`, used only when that is empty. */
            items?: string[];
        };
        /**
         * @description Roughly how large a result is, and what it costs: 1K, about 1024 pixels, 8 credits; 2K, about 2048 pixels, 12 credits; 4K, about 4096 pixels, 20 credits. Widths and heights of a result are reported with the job.
         * @enum {string}
         */
        OutputSize: "1K" | "2K" | "4K";
        /** @description A size as a request may spell it. Case does not matter to the service; the lower-case spellings are listed so that they validate and are typed. */
        OutputSizeInput: components["schemas"]["OutputSize"] | ("1k" | "2k" | "4k");
        /** @description At most 8 keys, with at most 256 characters each for a key and for its value. Values can be of any JSON type; for one that is no string, its JSON text counts, which a schema cannot state. */
        MetadataInput: {
            [key: string]: unknown;
        };
        /** @description Identifies a job. */
        JobId: string;
        /**
         * @description `succeeded` and `failed` are final; a job never leaves them. Be ready for `queued`, though a deployment may never report it.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "succeeded" | "failed";
        /** @description What became of a submission by the time it was answered. */
        TryOnSubmitResponse: {
            job_id: components["schemas"]["JobId"];
            status: components["schemas"]["JobStatus"];
            /** @description Signed address of the PNG, good for 24 hours. Only there when the answer was held and the job succeeded. Send neither your key nor any other header along. */
            result_url?: string | null;
            /** @description Credits taken for this submission; 0 for a test key. A failed job keeps its figure. Some deployments leave it out while a job runs or when it failed: take an absent value for unknown, not for 0. */
            cost_credits: number;
            /** @description Balance of the key after this call. */
            credits_remaining?: number | null;
            /** @description The seed used: yours, if you sent one. */
            seed?: number | null;
            /** @description What the request carried. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description True when a test key was used.
             * @default false
             */
            test_mode?: boolean;
            /** @description Set when the job failed. `generation_failed` is known; there may be others. */
            error_code?: string | null;
            /** @description Set when the job failed. `content_blocked` means that the content was refused. */
            error_message?: string | null;
            /** @description Set when a held answer ran into the limit of 90 seconds. Names the address to poll. */
            message?: string | null;
        };
        /** @description A job, as a poll or the list shows it. */
        TryOnJobStatus: {
            job_id: components["schemas"]["JobId"];
            status: components["schemas"]["JobStatus"];
            /** @description Signed address of the PNG, made anew by every poll and good for 24 hours from then. Null unless the job succeeded. */
            result_url?: string | null;
            /** @description Width in pixels. */
            result_width?: number | null;
            /** @description Height in pixels. */
            result_height?: number | null;
            /** @description Length of the image file in bytes. */
            result_bytes?: number | null;
            /** @description `image/png` whenever there is a result. */
            result_content_type?: string | null;
            /** @description The seed used: yours, if you sent one. */
            seed?: number | null;
            /** @description What the request carried. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Null unless the job failed. `generation_failed` is known; there may be others. */
            error_code?: string | null;
            /** @description Null unless the job failed. `content_blocked` means that the content was refused. */
            error_message?: string | null;
            /** @description Credits taken for the job. A failed job keeps its figure, refunded or not. */
            cost_credits: number;
            /** @description How long the job took, in milliseconds. Null until it has ended. */
            duration_ms?: number | null;
            /**
             * Format: date-time
             * @description When the job was submitted, in UTC: `YYYY-MM-DDTHH:MM:SSZ`.
             */
            created_at?: string | null;
            /**
             * Format: date-time
             * @description When the job ended, in UTC: `YYYY-MM-DDTHH:MM:SSZ`. Null until then.
             */
            completed_at?: string | null;
        };
        /** @description One page of jobs. */
        TryOnListResponse: {
            /** @description Newest first. */
            jobs: components["schemas"]["TryOnJobStatus"][];
            /** @description Pass it as `cursor` to get the page after this one. Null on the last page. */
            next_cursor?: string | null;
        };
        /** @description The calling key: its balance, its limits, and what it pays. */
        AccountResponse: {
            /** @description The label that the key was given when it was made. */
            name: string | null;
            /** @description Balance of the key. */
            credits_remaining: number;
            /** @description Requests that the key may make in a minute. */
            rate_limit_per_min: number;
            /** @description Calls made with the key since it exists. */
            total_calls: number;
            /** @description What a try-on costs, by size: 8 credits for 1K, 12 for 2K, 20 for 4K. */
            tryon_cost_credits: {
                "1K": number;
                "2K": number;
                "4K": number;
            } & {
                [key: string]: number;
            };
        };
        /**
         * @description A pack of credits: demo, 100 credits for $2; starter, 1200 for $25; pro, 5600 for $99; scale, 32000 for $499; enterprise, 72000 for $999. An unknown pack is answered with 400 rather than 422.
         * @enum {string}
         */
        PackSlug: "demo" | "starter" | "pro" | "scale" | "enterprise";
        /** @description Which pack to buy, and the token that pays for it. */
        PurchaseWithSPTRequest: {
            /** @description The pack to buy. An unknown one is answered with 400 rather than 422. */
            pack_slug: components["schemas"]["PackSlug"];
            /** @description The token that the user granted to the agent for this service. A wrong length is answered with 422, another beginning with 400. */
            shared_payment_granted_token: string;
        };
        /** @description How the payment stands, and what the key now has. */
        PurchaseWithSPTResponse: {
            /** @description The payment's id at the payment processor. */
            payment_intent_id: string;
            /** @description The payment's state at the payment processor, an open set: `succeeded`, `processing` and `requires_action` are known. */
            status: string;
            /** @description The pack that was bought. */
            pack_slug: string;
            /** @description Credits that this very call has added; 0 as long as the payment is not final. */
            credits_added: number;
            /** @description Balance of the key after this call. */
            credits_remaining: number;
            /** @description What the payment processor wants done when `status` is `requires_action`, in its own form. Null when the payment succeeded. */
            next_action?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The body of every error but 422. */
        ErrorResponse: {
            /** @description What went wrong, for people to read. */
            detail: string;
        };
        /** @description The body of a 422. */
        HTTPValidationError: {
            /** @description One entry for each problem. */
            detail: components["schemas"]["ValidationError"][];
        };
        /** @description One problem with one place of a request. */
        ValidationError: {
            /** @description The path to the problem, from the part of the request down to the field: names and array positions. */
            loc: (string | number)[];
            /** @description What is wrong, for people to read. */
            msg: string;
            /** @description What is wrong, for programs to compare. */
            type: string;
            /** @description What was sent there. It can be a whole image, so keep it out of logs. */
            input?: unknown;
            /** @description Facts about the rule that was broken, such as the bound. */
            ctx?: {
                [key: string]: unknown;
            };
        };
        /** @description An open document: only `capabilities.agentic_commerce` is promised. */
        DiscoveryResponse: {
            /** @description What the deployment can do. */
            capabilities: {
                /** @description How an agent can buy credits. The shape belongs to the deployment. */
                agentic_commerce: unknown;
            };
        };
        /** @description An OpenAPI 3.1 document. */
        ApiDescription: {
            /** @description The version of OpenAPI. */
            openapi: string;
            /** @description Name and version of the API. */
            info: {
                title: string;
                version: string;
            };
        };
        /** @description The body of the `tryon.completed` event. The service lists all of these fields; only the three that say what happened to which job are required here, so that a receiver does not turn away an event over a detail. */
        TryOnCompletedEvent: {
            /**
             * @description The kind of event.
             * @constant
             */
            event: "tryon.completed";
            job_id: components["schemas"]["JobId"];
            /**
             * @description How the job ended.
             * @enum {string}
             */
            status: "succeeded" | "failed";
            /** @description Signed address of the PNG, good for 24 hours. Null when the job failed. */
            result_url?: string | null;
            /** @description Null unless the job failed. `generation_failed` is known; there may be others. */
            error_code?: string | null;
            /** @description Null unless the job failed. `content_blocked` means that the content was refused. */
            error_message?: string | null;
            /** @description How long the job took, in milliseconds. */
            duration_ms?: number;
            /**
             * Format: date-time
             * @description When the job ended, in UTC: `YYYY-MM-DDTHH:MM:SSZ`.
             */
            completed_at?: string;
        };
    };
    responses: {
        /** @description The key is missing or unknown. Nothing was charged. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The key is known but was disabled or revoked, or its account is flagged. Nothing was charged. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Body, query, path or headers do not fit their schema. Nothing was charged. The list names every place. */
        ValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["HTTPValidationError"];
            };
        };
        /** @description More requests than the key may make in a minute; `rate_limit_per_min` of the account says how many that is. Nothing was charged. Other answers may carry these headers too. */
        RateLimited: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Something broke before the model was called. Nothing was charged, or it has been given back. */
        ServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Something the service depends on is down for the moment. Try again with growing pauses. Whether anything was charged is not promised: repeat a submission under its `Idempotency-Key`. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The discovery document. */
        Discovery: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DiscoveryResponse"];
            };
        };
    };
    parameters: {
        /**
         * @description Makes a submission safe to send again. Choose a new value for each try-on you mean to pay for and repeat it on every retry of that one. The same value with a different body is refused with 409. For how long a value is remembered depends on the deployment.
         * @example 9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f
         */
        IdempotencyKey: string;
        /**
         * @description How many jobs a page may hold. The smallest and largest value depend on the deployment; one outside them is refused with 422.
         * @example 20
         */
        Limit: number;
        /**
         * @description The `next_cursor` of the page before; absent for the first page. It looks like a job id; treat it as opaque.
         * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
         */
        Cursor: string;
        /**
         * @description Lists only jobs in this state. Some deployments may know this filter as `status`, so check the state of what comes back when it matters.
         * @example succeeded
         */
        StatusFilter: components["schemas"]["JobStatus"];
        /**
         * @description The id that the submission answered with.
         * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
         */
        JobId: string;
        /**
         * @description `sha256=`, then in hexadecimal the HMAC-SHA256 of the bytes of the body under the webhook secret.
         * @example sha256=2f0c7d6f0a4d1b0c9a8e7f6d5c4b3a29181716151413121110f9e8d7c6b5a493
         */
        ServiceSignature: string;
        /**
         * @description The kind of event, as in the body.
         * @example tryon.completed
         */
        ServiceEvent: "tryon.completed";
        /**
         * @description The job id, as in the body. The signature does not cover this header: trust the body.
         * @example job_Pq7Wn3Yt5Rb8Kd2Hs6Jf4Lg9
         */
        ServiceJobId: components["schemas"]["JobId"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description Requests that this key may make in a window.
         * @example 60
         */
        RateLimitLimit: number;
        /**
         * @description Requests left in the current window.
         * @example 0
         */
        RateLimitRemaining: number;
        /**
         * @description When the window ends. Deployments differ in what they count: seconds since 1970, or seconds from now.
         * @example 1767268860
         */
        RateLimitReset: number;
        /**
         * @description How long to wait at least before the next request, in the two forms that HTTP knows: a number of seconds or a date.
         * @example 17
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTryOns: {
        parameters: {
            query?: {
                /**
                 * @description How many jobs a page may hold. The smallest and largest value depend on the deployment; one outside them is refused with 422.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The `next_cursor` of the page before; absent for the first page. It looks like a job id; treat it as opaque.
                 * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
                 */
                cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Lists only jobs in this state. Some deployments may know this filter as `status`, so check the state of what comes back when it matters.
                 * @example succeeded
                 */
                status_filter?: components["parameters"]["StatusFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryOnListResponse"];
                };
            };
            /** @description The cursor is none that a page of this key's list has given. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    submitTryOn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes a submission safe to send again. Choose a new value for each try-on you mean to pay for and repeat it on every retry of that one. The same value with a different body is refused with 409. For how long a value is remembered depends on the deployment.
                 * @example 9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryOnRequest"];
            };
        };
        responses: {
            /** @description The job was created. Read `status`: it has succeeded, is still running, or has failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryOnSubmitResponse"];
                };
            };
            /** @description The body fits the schema but makes no try-on. Nothing was charged. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The balance of the key does not cover the requested size. Nothing was charged. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            /** @description This `Idempotency-Key` was sent before with another body. Nothing was charged for this request. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTryOn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id that the submission answered with.
                 * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
                 */
                job_id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryOnJobStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The calling key has no such job. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    purchaseCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurchaseWithSPTRequest"];
            };
        };
        responses: {
            /** @description The payment was started. Read `status` to learn whether it is final. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurchaseWithSPTResponse"];
                };
            };
            /** @description There is no such pack, or the token is not a shared payment token. Nothing was charged. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The payment did not go through, for example because it was declined or the funds do not suffice. No credits were added. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            /** @description A payment for this token has been dealt with already. This is no failed payment: look at the balance before paying again. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Discovery"];
        };
    };
    getDiscovery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Discovery"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The description. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiDescription"];
                };
            };
        };
    };
    onTryOnCompleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `sha256=`, then in hexadecimal the HMAC-SHA256 of the bytes of the body under the webhook secret.
                 * @example sha256=2f0c7d6f0a4d1b0c9a8e7f6d5c4b3a29181716151413121110f9e8d7c6b5a493
                 */
                "X-Service-Signature": components["parameters"]["ServiceSignature"];
                /**
                 * @description The kind of event, as in the body.
                 * @example tryon.completed
                 */
                "X-Service-Event": components["parameters"]["ServiceEvent"];
                /**
                 * @description The job id, as in the body. The signature does not cover this header: trust the body.
                 * @example job_Pq7Wn3Yt5Rb8Kd2Hs6Jf4Lg9
                 */
                "X-Service-Job-Id": components["parameters"]["ServiceJobId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryOnCompletedEvent"];
            };
        };
        responses: {
            /** @description Taken. The body, if any, is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/**
 * One try-on: a person, one to three garments, and how to make the image.
 *
 * @interface
 */
export type TryOnRequest = components["schemas"]["TryOnRequest"];
/**
 * Roughly how large a result is, and what it costs: 1K, about 1024 pixels, 8 credits; 2K, about 2048 pixels, 12 credits; 4K, about 4096 pixels, 20 credits. Widths and heights of a result are reported with the job.
 *
 * @useDeclaredType
 */
export type OutputSize = components["schemas"]["OutputSize"];
/**
 * A size as a request may spell it. Case does not matter to the service; the lower-case spellings are listed so that they validate and are typed.
 *
 * @useDeclaredType
 */
export type OutputSizeInput = components["schemas"]["OutputSizeInput"];
/**
 * At most 8 keys, with at most 256 characters each for a key and for its value. Values can be of any JSON type; for one that is no string, its JSON text counts, which a schema cannot state.
 *
 * @interface
 */
export type MetadataInput = components["schemas"]["MetadataInput"];
/**
 * Identifies a job.
 *
 * @useDeclaredType
 */
export type JobId = components["schemas"]["JobId"];
/**
 * `succeeded` and `failed` are final; a job never leaves them. Be ready for `queued`, though a deployment may never report it.
 *
 * @useDeclaredType
 */
export type JobStatus = components["schemas"]["JobStatus"];
/**
 * What became of a submission by the time it was answered.
 *
 * @interface
 */
export type TryOnSubmitResponse = components["schemas"]["TryOnSubmitResponse"];
/**
 * A job, as a poll or the list shows it.
 *
 * @interface
 */
export type TryOnJobStatus = components["schemas"]["TryOnJobStatus"];
/**
 * One page of jobs.
 *
 * @interface
 */
export type TryOnListResponse = components["schemas"]["TryOnListResponse"];
/**
 * The calling key: its balance, its limits, and what it pays.
 *
 * @interface
 */
export type AccountResponse = components["schemas"]["AccountResponse"];
/**
 * A pack of credits: demo, 100 credits for $2; starter, 1200 for $25; pro, 5600 for $99; scale, 32000 for $499; enterprise, 72000 for $999. An unknown pack is answered with 400 rather than 422.
 *
 * @useDeclaredType
 */
export type PackSlug = components["schemas"]["PackSlug"];
/**
 * Which pack to buy, and the token that pays for it.
 *
 * @interface
 */
export type PurchaseWithSPTRequest = components["schemas"]["PurchaseWithSPTRequest"];
/**
 * How the payment stands, and what the key now has.
 *
 * @interface
 */
export type PurchaseWithSPTResponse = components["schemas"]["PurchaseWithSPTResponse"];
/**
 * The body of every error but 422.
 *
 * @interface
 */
export type ErrorResponse = components["schemas"]["ErrorResponse"];
/**
 * The body of a 422.
 *
 * @interface
 */
export type HTTPValidationError = components["schemas"]["HTTPValidationError"];
/**
 * One problem with one place of a request.
 *
 * @interface
 */
export type ValidationError = components["schemas"]["ValidationError"];
/**
 * An open document: only `capabilities.agentic_commerce` is promised.
 *
 * @interface
 */
export type DiscoveryResponse = components["schemas"]["DiscoveryResponse"];
/**
 * An OpenAPI 3.1 document.
 *
 * @interface
 */
export type ApiDescription = components["schemas"]["ApiDescription"];
/**
 * The body of the `tryon.completed` event. The service lists all of these fields; only the three that say what happened to which job are required here, so that a receiver does not turn away an event over a detail.
 *
 * @interface
 */
export type TryOnCompletedEvent = components["schemas"]["TryOnCompletedEvent"];
