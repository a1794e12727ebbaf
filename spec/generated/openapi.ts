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
         * @description Returns the jobs of the requesting key, newest first, one page at a time. Follow `next_cursor` until it is null.
         */
        get: operations["listTryOns"];
        put?: never;
        /**
         * Submit a try-on
         * @description Submits one try-on. The cost of its size is charged atomically before the model is called, so concurrent submissions never overdraw a key.
         *
         *     By default the response comes when the job has ended. If that takes more than 90 seconds, it is a 200 with `running`, and its `message` names the URL to poll; the job continues. With `wait: false` the response comes at once, also with `status` `running`.
         *
         *     A failure after the model was called is **not** an HTTP error: the response is a 200 with `status` `failed`, `error_code` and `error_message`. Whether its credits are refunded depends on the deployment, so check the balance.
         *
         *     Send an `Idempotency-Key` with every submission that you may retry: without one, a retry is a second, separately charged try-on. A key that was used with another body gets 409.
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
         * @description Returns the state of a job. Every request signs a new `result_url`, valid for 24 hours, so poll again to renew an expired one. The image itself is deleted 30 days after its creation.
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
         * Get balance, limits and prices of the requesting key
         * @description Each key has its own balance, name, rate limit and request count.
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
         * @description Buys a pack with a token that its user granted to an agent for this service. The payment processor charges the user; no card data passes through the service.
         *
         *     With `status` `succeeded` the credits are on the requesting key before the response. With `processing` or `requires_action` the response comes at once, and the credits follow when the processor reports `payment_intent.succeeded` to the service.
         *
         *     Key and token identify a purchase, so a repeated request never pays twice. A test key gets a simulated `succeeded` without a call of the processor, and no credits.
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
         * @description Returns the document of `/api/discovery`, for agents that have only the host. Deployments differ: some may require a key.
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
         * @description Describes the capabilities of the deployment, so that agents can find out how to buy credits. Deployments differ: some may require a key.
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
         * @description Returns an HTML page about the API. Deployments differ: some may require a key.
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
         * This description, machine-readable
         * @description Returns the OpenAPI 3.1 description of the deployment. Deployments differ: some may require a key.
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
         * @description Event that the service sends to the `webhook_url` of a job that has reached `succeeded` or `failed`.
         *
         *     Delivery is best effort: one attempt, then at most 3 retries after 1, 4 and 16 seconds. An attempt succeeds with any 2xx response within 10 seconds. So the same event can arrive more than once, and you have to poll for a missed one.
         *
         *     Verify the signature over the bytes as received, before you parse them: HMAC-SHA256 with the webhook secret as the key (`whsec_…`, shown once when the key is created), in hexadecimal after `sha256=`, compared in constant time.
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
         * @description One try-on: a person, one to three garments, and options of the image.
         *
         *     The schema has the rules of each field, and requires a person and a garment. It cannot count: `garment_urls` and `garment_images_b64` together have 1 to 3 garments. A missing person or garment gets 400. A URL that is malformed, blocked or cannot be fetched gets 400. Deployments differ in which other problems get 400 and which 422.
         *
         *     Some fields have aliases. The canonical name is preferred, and wins if both are set. Unknown properties are accepted.
         */
        TryOnRequest: {
            /**
             * Format: uri
             * @description HTTPS URL of the person's photo. Ignored if `person_image_b64` is set.
             */
            person_url?: string | null;
            /** @description Person's photo in base64, without a `data:` prefix; at most about 10 MB decoded. Wins over `person_url`. */
            person_image_b64?: string | null;
            /** @description HTTPS URLs of garment images. Can be combined with `garment_images_b64`: 1 to 3 garments in total. */
            garment_urls?: string[];
            /** @description Garment images in base64, without a `data:` prefix, each at most about 10 MB decoded. Can be combined with `garment_urls`: 1 to 3 garments in total. */
            garment_images_b64?: string[];
            /** @description Size of the result, which sets its cost. If it and its aliases `resolution` and `size` are absent, the size is 1K. */
            output_size?: components["schemas"]["OutputSizeInput"];
            /** @description Your own instruction. It is appended to the service's instruction and does not replace it; the rules on the person's identity and on safety stay in force. */
            prompt?: string | null;
            /**
             * @deprecated
             * @description Deprecated in favor of `prompt`. Ignored if `prompt` is set.
             */
            style_hint?: string | null;
            /** @description What the image should avoid. */
            negative_prompt?: string | null;
            /** @description If true, the response comes when the job has ended, after at most 90 seconds. If false, it comes at once with the id of the job. Wins over `mode`. If both are absent, it is true. */
            wait?: boolean;
            /**
             * Format: uri
             * @description HTTPS URL that receives the signed `tryon.completed` event when the job has ended.
             */
            webhook_url?: string | null;
            /** @description Your own data. The response and every poll return it unchanged. */
            metadata?: components["schemas"]["MetadataInput"] | null;
            /** @description Integer that the response and the job repeat. */
            seed?: number | null;
            /** @description Alias of `output_size`. */
            resolution?: components["schemas"]["OutputSizeInput"];
            /** @description Alias of `output_size`. */
            size?: components["schemas"]["OutputSizeInput"];
            /**
             * @description Alias of `wait`: `sync` is true, `async` is false. Ignored if `wait` is set.
             * @enum {string}
             */
            mode?: "sync" | "async";
            /**
             * Format: uri
             * @description Alias of `person_url`, used only if that is empty.
             */
            person?: string | null;
            /**
             * Format: uri
             * @description Alias of `person_url`, used only if that is empty.
             */
            model_url?: string | null;
            /**
             * Format: uri
             * @description Alias of `person_url`, used only if that is empty.
             */
            input_url?: string | null;
            /** @description Alias of `garment_urls`, used only if that is empty. */
            garments?: string[];
            /** @description Alias of `garment_urls`, used only if that is empty. */
            clothing?: string[];
            /** @description Alias of `garment_urls`, used only if that is empty. */
            items?: string[];
        };
        /**
         * @description Approximate size of a result, and its cost: 1K, about 1024 pixels, 8 credits; 2K, about 2048 pixels, 12 credits; 4K, about 4096 pixels, 20 credits. A job reports the width and height of its result.
         * @enum {string}
         */
        OutputSize: "1K" | "2K" | "4K";
        /** @description Size in a request. The service ignores case; the lower-case values are listed so that they are valid and typed. */
        OutputSizeInput: components["schemas"]["OutputSize"] | ("1k" | "2k" | "4k");
        /** @description At most 8 keys, with at most 256 characters each. Deployments differ in what they count: the key, a text value, or the JSON text of a value. */
        MetadataInput: {
            [key: string]: unknown;
        };
        /** @description Id of a job. */
        JobId: string;
        /**
         * @description `succeeded` and `failed` are final. Handle `queued`, although a deployment may never report it.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "succeeded" | "failed";
        /** @description State of a submission at the time of the response. */
        TryOnSubmitResponse: {
            job_id: components["schemas"]["JobId"];
            status: components["schemas"]["JobStatus"];
            /** @description Signed URL of the PNG, valid for 24 hours. Set only if the request was synchronous and the job succeeded. Send neither your key nor other headers to it. */
            result_url?: string | null;
            /** @description Credits charged for this submission; 0 for a test key. A failed job keeps its cost. Deployments differ: some omit it while a job runs or if it failed. An absent value is unknown, not 0. */
            cost_credits: number;
            /** @description Balance of the key after this request. Deployments differ: some omit it unless a synchronous job succeeded. */
            credits_remaining?: number | null;
            /** @description Seed of the request. Deployments differ for a request without one: null, or a seed that the service chose. */
            seed?: number | null;
            /** @description Metadata of the request. Deployments differ: some omit it here, and return it only when the job is polled. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description If true, the key is a test key. Deployments differ: some omit it.
             * @default false
             */
            test_mode?: boolean;
            /** @description Set if the job failed. `generation_failed` is known; others are possible. */
            error_code?: string | null;
            /** @description Set if the job failed. `content_blocked` means that its content was blocked. */
            error_message?: string | null;
            /** @description Set if a synchronous request reached the limit of 90 seconds. Names the URL to poll. */
            message?: string | null;
        };
        /** @description Job, as in a poll or in the list. */
        TryOnJobStatus: {
            job_id: components["schemas"]["JobId"];
            status: components["schemas"]["JobStatus"];
            /** @description Signed URL of the PNG, new in every poll and valid for 24 hours. Null unless the job succeeded. */
            result_url?: string | null;
            /** @description Width in pixels. */
            result_width?: number | null;
            /** @description Height in pixels. */
            result_height?: number | null;
            /** @description Size of the image file in bytes. */
            result_bytes?: number | null;
            /** @description `image/png` if there is a result. */
            result_content_type?: string | null;
            /** @description Seed of the request. Deployments differ for a request without one: null, or a seed that the service chose. */
            seed?: number | null;
            /** @description Metadata of the request. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Null unless the job failed. `generation_failed` is known; others are possible. */
            error_code?: string | null;
            /** @description Null unless the job failed. `content_blocked` means that its content was blocked. */
            error_message?: string | null;
            /** @description Credits charged for the job. A failed job keeps its cost, refunded or not. */
            cost_credits: number;
            /** @description Duration of the job in milliseconds. Null until it has ended. */
            duration_ms?: number | null;
            /**
             * Format: date-time
             * @description Time of the submission, in UTC: `YYYY-MM-DDTHH:MM:SSZ`.
             */
            created_at?: string | null;
            /** @description Time of the end of the job, ISO 8601 in UTC. Null until then. Deployments differ in its form, such as fractions of a second or an offset. */
            completed_at?: string | null;
        };
        /** @description One page of jobs. */
        TryOnListResponse: {
            /** @description Newest first. */
            jobs: components["schemas"]["TryOnJobStatus"][];
            /** @description `cursor` of the next page. Null on the last page. */
            next_cursor?: string | null;
        };
        /** @description Balance, limits and prices of the requesting key. */
        AccountResponse: {
            /** @description Name of the key. */
            name: string | null;
            /** @description Balance of the key. */
            credits_remaining: number;
            /** @description Maximum number of requests per minute of the key. */
            rate_limit_per_min: number;
            /** @description Number of requests of the key since its creation. */
            total_calls: number;
            /** @description Cost of a try-on by size: 8 credits for 1K, 12 for 2K, 20 for 4K. */
            tryon_cost_credits: {
                "1K": number;
                "2K": number;
                "4K": number;
            } & {
                [key: string]: number;
            };
        };
        /**
         * @description Pack of credits: demo, 100 credits for $2; starter, 1200 for $25; pro, 5600 for $99; scale, 32000 for $499; enterprise, 72000 for $999. An unknown pack gets 400 or 422.
         * @enum {string}
         */
        PackSlug: "demo" | "starter" | "pro" | "scale" | "enterprise";
        /** @description Pack to buy, and the payment token. */
        PurchaseWithSPTRequest: {
            /** @description Pack to buy. Deployments differ in the status for an unknown one: 400 or 422. */
            pack_slug: components["schemas"]["PackSlug"];
            /** @description Token that the user granted to the agent for this service. Deployments differ in the status for an invalid one: 400 or 422. */
            shared_payment_granted_token: string;
        };
        /** @description State of the payment, and the new balance. */
        PurchaseWithSPTResponse: {
            /** @description Payment processor's id of the payment. */
            payment_intent_id: string;
            /** @description Payment processor's state of the payment, an open set: `succeeded`, `processing` and `requires_action` are known. */
            status: string;
            /** @description Pack that was bought. */
            pack_slug: string;
            /** @description Credits that this request has added; 0 until the payment is final. Deployments differ in the value of a test key, and of a repeated purchase. */
            credits_added: number;
            /** @description Balance of the key after this request. */
            credits_remaining: number;
            /** @description Payment processor's next action if `status` is `requires_action`, in its own format. Null if the payment succeeded. */
            next_action?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Body of every error but 422. */
        ErrorResponse: {
            /** @description Message for people. */
            detail: string;
        };
        /** @description Body of a 422. */
        HTTPValidationError: {
            /** @description One entry per problem. */
            detail: components["schemas"]["ValidationError"][];
        };
        /** @description Problem of one field of a request. */
        ValidationError: {
            /** @description Path of the problem, from the part of the request to the field: names and array indexes. */
            loc: (string | number)[];
            /** @description Message for people. */
            msg: string;
            /** @description Code for programs. */
            type: string;
            /** @description Invalid value. It can be a whole image, so keep it out of logs. */
            input?: unknown;
            /** @description Parameters of the violated rule, such as its limit. */
            ctx?: {
                [key: string]: unknown;
            };
        };
        /** @description Open document: only `capabilities.agentic_commerce` is promised. */
        DiscoveryResponse: {
            /** @description Capabilities of the deployment. */
            capabilities: {
                /** @description How agents can buy credits. Its format depends on the deployment. */
                agentic_commerce: unknown;
            };
        };
        /** @description OpenAPI 3.1 document. */
        ApiDescription: {
            /** @description Version of OpenAPI. */
            openapi: string;
            /** @description Name and version of the API. */
            info: {
                title: string;
                version: string;
            };
        };
        /** @description Body of the `tryon.completed` event. The service sends all of these fields. Receivers should only depend on `event`, `job_id` and `status`, and poll the job if another field is missing. */
        TryOnCompletedEvent: {
            /**
             * @description Kind of the event.
             * @constant
             */
            event: "tryon.completed";
            job_id: components["schemas"]["JobId"];
            /**
             * @description Outcome of the job.
             * @enum {string}
             */
            status: "succeeded" | "failed";
            /** @description Signed URL of the PNG, valid for 24 hours. Null if the job failed. */
            result_url: string | null;
            /** @description Null unless the job failed. `generation_failed` is known; others are possible. */
            error_code: string | null;
            /** @description Null unless the job failed. `content_blocked` means that its content was blocked. */
            error_message: string | null;
            /** @description Duration of the job in milliseconds. */
            duration_ms: number;
            /** @description Time of the end of the job, ISO 8601 in UTC. Deployments differ in its form, such as fractions of a second or an offset. */
            completed_at: string;
        };
    };
    responses: {
        /** @description The key is missing or unknown. Nothing was charged. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The key is disabled or revoked, or its account is flagged. Nothing was charged. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Body, query, path or headers do not fit their schema. Nothing was charged. The list has every problem. Deployments differ in which problems get 400 and which 422. */
        ValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["HTTPValidationError"];
            };
        };
        /** @description The key has exceeded its requests per minute, `rate_limit_per_min` of the account. Nothing was charged. Other responses may have these headers, too. */
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
        /** @description The service failed before it called the model. Nothing was charged, or it was refunded. */
        ServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A dependency of the service is unavailable. Retry with exponential backoff. The service does not say whether anything was charged: retry a submission with the same `Idempotency-Key`. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["OptionalRetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Discovery document. */
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
         * @description Identifies a submission. Use a new value for each try-on that you want to pay for, and repeat it on every retry. The same value with another body gets 409. Deployments differ in how long they keep a value, and in their response to the same value with the same body, such as the first response again without a charge.
         * @example 9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f
         */
        IdempotencyKey: string;
        /**
         * @description Maximum number of jobs of a page. Deployments differ in its minimum and maximum, and in their response to other values.
         * @example 20
         */
        Limit: number;
        /**
         * @description `next_cursor` of the previous page; absent for the first page. It has the format of a job id; treat it as opaque. Deployments differ in their response to an unknown cursor.
         * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
         */
        Cursor: string;
        /**
         * @description Lists only jobs with this status. Deployments differ: some may call this filter `status`, so check the status of the listed jobs.
         * @example succeeded
         */
        StatusFilter: components["schemas"]["JobStatus"];
        /**
         * @description Id from the submission response.
         * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
         */
        JobId: string;
        /**
         * @description `sha256=`, then the HMAC-SHA256 of the bytes of the body in hexadecimal, with the webhook secret as the key.
         * @example sha256=2f0c7d6f0a4d1b0c9a8e7f6d5c4b3a29181716151413121110f9e8d7c6b5a493
         */
        ServiceSignature: string;
        /**
         * @description Kind of the event, as in the body.
         * @example tryon.completed
         */
        ServiceEvent: "tryon.completed";
        /**
         * @description Job id, as in the body. The signature does not cover this header: trust the body.
         * @example job_Pq7Wn3Yt5Rb8Kd2Hs6Jf4Lg9
         */
        ServiceJobId: components["schemas"]["JobId"];
    };
    requestBodies: {
        TryOnCompleted: {
            content: {
                "application/json": components["schemas"]["TryOnCompletedEvent"];
            };
        };
    };
    headers: {
        /**
         * @description Maximum number of requests of this key per window. Deployments differ in which responses have `X-RateLimit-` headers, and in their names.
         * @example 60
         */
        RateLimitLimit: number;
        /**
         * @description Remaining requests in the current window. Deployments differ in which responses have it.
         * @example 0
         */
        RateLimitRemaining: number;
        /**
         * @description End of the window. Deployments differ: seconds since 1970, or seconds from now.
         * @example 1767268860
         */
        RateLimitReset: number;
        /**
         * @description Minimum wait before the next request. Deployments differ: a number of seconds, or an HTTP date.
         * @example 17
         */
        RetryAfter: string;
        /**
         * @description Minimum wait before a retry, if the deployment sends it.
         * @example 2
         */
        OptionalRetryAfter: string;
        /**
         * @description `true` if the response repeats that of an earlier request with the same `Idempotency-Key`. Deployments differ in whether they mark a replay.
         * @example true
         */
        IdempotentReplayed: string;
        /**
         * @description Authentication scheme, if the deployment names it.
         * @example Bearer
         */
        WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTryOns: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of jobs of a page. Deployments differ in its minimum and maximum, and in their response to other values.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description `next_cursor` of the previous page; absent for the first page. It has the format of a job id; treat it as opaque. Deployments differ in their response to an unknown cursor.
                 * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
                 */
                cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Lists only jobs with this status. Deployments differ: some may call this filter `status`, so check the status of the listed jobs.
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
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryOnListResponse"];
                };
            };
            /** @description The cursor is not from a page of this key's list. Deployments differ: others return an empty page or 422. */
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
                 * @description Identifies a submission. Use a new value for each try-on that you want to pay for, and repeat it on every retry. The same value with another body gets 409. Deployments differ in how long they keep a value, and in their response to the same value with the same body, such as the first response again without a charge.
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
            /** @description The job exists. Check `status`: it has succeeded, is still running, or has failed. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryOnSubmitResponse"];
                };
            };
            /** @description The body is not a valid try-on. Nothing was charged. Deployments differ in which problems get 400 and which 422. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The balance of the key is lower than the cost of the size. Nothing was charged. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            /** @description This `Idempotency-Key` was used with another body. Nothing was charged for this request. */
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
                 * @description Id from the submission response.
                 * @example job_4fK9sQ2mZx7LbT1cVw8RnE3y
                 */
                job_id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Current state of the job. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TryOnJobStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The requesting key has no such job. */
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
            /** @description Current state of the key. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
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
            /** @description The payment was started. Check `status` for whether it is final. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurchaseWithSPTResponse"];
                };
            };
            /** @description The pack is unknown, or the token is not a shared payment token. Nothing was charged. Deployments differ: some respond with 422. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The payment failed, for example because it was declined or the funds are insufficient. No credits were added. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            /** @description A payment for this token was already processed. This does not mean that a payment failed: check the balance before you pay again. Deployments differ: some repeat the first response. */
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
            401: components["responses"]["Unauthorized"];
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
            401: components["responses"]["Unauthorized"];
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
            /** @description HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            401: components["responses"]["Unauthorized"];
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
            /** @description OpenAPI description. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiDescription"];
                };
            };
            401: components["responses"]["Unauthorized"];
        };
    };
    onTryOnCompleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description `sha256=`, then the HMAC-SHA256 of the bytes of the body in hexadecimal, with the webhook secret as the key.
                 * @example sha256=2f0c7d6f0a4d1b0c9a8e7f6d5c4b3a29181716151413121110f9e8d7c6b5a493
                 */
                "X-Service-Signature": components["parameters"]["ServiceSignature"];
                /**
                 * @description Kind of the event, as in the body.
                 * @example tryon.completed
                 */
                "X-Service-Event": components["parameters"]["ServiceEvent"];
                /**
                 * @description Job id, as in the body. The signature does not cover this header: trust the body.
                 * @example job_Pq7Wn3Yt5Rb8Kd2Hs6Jf4Lg9
                 */
                "X-Service-Job-Id": components["parameters"]["ServiceJobId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["TryOnCompleted"];
        responses: {
            /** @description Accepted. The body, if any, is ignored. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused, for example because the signature is wrong. The service sends the event again, at most 3 times. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
/**
 * One try-on: a person, one to three garments, and options of the image.
 *
 * @interface
 */
export type TryOnRequest = components["schemas"]["TryOnRequest"];
/**
 * Approximate size of a result, and its cost: 1K, about 1024 pixels, 8 credits; 2K, about 2048 pixels, 12 credits; 4K, about 4096 pixels, 20 credits. A job reports the width and height of its result.
 *
 * @useDeclaredType
 */
export type OutputSize = components["schemas"]["OutputSize"];
/**
 * Size in a request. The service ignores case; the lower-case values are listed so that they are valid and typed.
 *
 * @useDeclaredType
 */
export type OutputSizeInput = components["schemas"]["OutputSizeInput"];
/**
 * At most 8 keys, with at most 256 characters each. Deployments differ in what they count: the key, a text value, or the JSON text of a value.
 *
 * @interface
 */
export type MetadataInput = components["schemas"]["MetadataInput"];
/**
 * Id of a job.
 *
 * @useDeclaredType
 */
export type JobId = components["schemas"]["JobId"];
/**
 * `succeeded` and `failed` are final. Handle `queued`, although a deployment may never report it.
 *
 * @useDeclaredType
 */
export type JobStatus = components["schemas"]["JobStatus"];
/**
 * State of a submission at the time of the response.
 *
 * @interface
 */
export type TryOnSubmitResponse = components["schemas"]["TryOnSubmitResponse"];
/**
 * Job, as in a poll or in the list.
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
 * Balance, limits and prices of the requesting key.
 *
 * @interface
 */
export type AccountResponse = components["schemas"]["AccountResponse"];
/**
 * Pack of credits: demo, 100 credits for $2; starter, 1200 for $25; pro, 5600 for $99; scale, 32000 for $499; enterprise, 72000 for $999. An unknown pack gets 400 or 422.
 *
 * @useDeclaredType
 */
export type PackSlug = components["schemas"]["PackSlug"];
/**
 * Pack to buy, and the payment token.
 *
 * @interface
 */
export type PurchaseWithSPTRequest = components["schemas"]["PurchaseWithSPTRequest"];
/**
 * State of the payment, and the new balance.
 *
 * @interface
 */
export type PurchaseWithSPTResponse = components["schemas"]["PurchaseWithSPTResponse"];
/**
 * Body of every error but 422.
 *
 * @interface
 */
export type ErrorResponse = components["schemas"]["ErrorResponse"];
/**
 * Body of a 422.
 *
 * @interface
 */
export type HTTPValidationError = components["schemas"]["HTTPValidationError"];
/**
 * Problem of one field of a request.
 *
 * @interface
 */
export type ValidationError = components["schemas"]["ValidationError"];
/**
 * Open document: only `capabilities.agentic_commerce` is promised.
 *
 * @interface
 */
export type DiscoveryResponse = components["schemas"]["DiscoveryResponse"];
/**
 * OpenAPI 3.1 document.
 *
 * @interface
 */
export type ApiDescription = components["schemas"]["ApiDescription"];
/**
 * Body of the `tryon.completed` event. The service sends all of these fields. Receivers should only depend on `event`, `job_id` and `status`, and poll the job if another field is missing.
 *
 * @interface
 */
export type TryOnCompletedEvent = components["schemas"]["TryOnCompletedEvent"];
