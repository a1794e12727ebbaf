// Generated from spec/options.json by `npm run generate`. Do not edit.

/** One value for every option. */
export interface Options {
  /** Order of authentication and the check that the body is JSON. */
  readonly checkOrder: "auth-first" | "body-first";
  /** Status for a body that is not a JSON object. */
  readonly malformedBody: 422 | 400;
  /** Status for a field of a wrong type or outside its bounds. 400 has a text as detail. */
  readonly fieldStatus: 422 | 400;
  /** Parts of metadata entries that the limit of 256 characters counts: keys and the JSON text of values, keys and values that are strings, or keys alone. */
  readonly metadataCount: "json" | "text" | "keys";
  /** Response of the list to an unknown cursor: an error with this status, or no jobs. */
  readonly unknownCursor: 400 | 422 | "empty";
  /** Response of the list to a limit out of bounds: an error, or the nearest page size. */
  readonly limitBounds: "refuse" | "clamp";
  /** Length of the refused value in a validation error: 64 characters, or all of it. */
  readonly echoInput: "cut" | "full";
  /** Status for a body over 64 MiB. 413 has an HTML body, as from a proxy. */
  readonly oversize: 400 | 413;
  /** Types of JSON values: lax takes "true" and 1 for a boolean and "7" for an integer. */
  readonly jsonTypes: "strict" | "lax";
  /** If true, a replayed response has the header Idempotent-Replayed: true. */
  readonly replayHeader: true | false;
  /** Response to a repeated key while the first request still waits: its response, or 409. */
  readonly concurrentTwin: "join" | 409;
  /** Number of hours that the service remembers an idempotency key. */
  readonly idempotencyHours: 24 | 0.5 | 1;
  /** Job in a replayed response: as in the first response, or as it is now. */
  readonly replayBody: "first" | "current";
  /** Idempotency key of a submission refused for its images or its credits: unused, or kept with the refusal. */
  readonly refusedKey: "free" | "kept";
  /** If true, a key replays a 500 that came after creation and before the model. */
  readonly stored500: false | true;
  /** Failed jobs whose credits are refunded. */
  readonly refund: "none" | "failed" | "failed-except-content-blocked";
  /** Maximum number of credits that a key can spend in one UTC day. */
  readonly dailySpendCap: "off" | 100000;
  /** Number of consecutive content refusals that suspend a key. */
  readonly suspendAfterContentBlocked: "off" | 5;
  /** Responses that have X-RateLimit-*. */
  readonly rateHeaders: "all" | "429-only" | "none";
  /** Value of X-RateLimit-Reset: a time, or the seconds until it. */
  readonly resetUnit: "epoch" | "delta";
  /** Value of Retry-After: a number of seconds, or an HTTP date. */
  readonly retryAfterFormat: "seconds" | "date";
  /** If true, jobs over the concurrency limit have the status queued. */
  readonly reportQueued: false | true;
  /** Seconds after which a proxy ends a synchronous request with 504 and HTML. The job goes on. */
  readonly syncCut: "off" | 30;
  /** Maximum page size of the list. */
  readonly maxLimit: 100 | 50;
  /** Query names of the status filter of the list. */
  readonly filterName: "both" | "status_filter" | "status";
  /** Milliseconds for which reads miss a new job, as on replicas. */
  readonly readLag: 0 | 800;
  /** If true, submission responses omit metadata, seed, test_mode and null fields, and cost_credits and credits_remaining unless the job succeeded. */
  readonly sparseSubmit: false | true;
  /** If true, the service chooses a seed for a job without one. */
  readonly inventSeed: false | true;
  /** Format of times: with Z, with +00:00, or without a zone. */
  readonly timeFormat: "Z" | "offset" | "naive";
  /** Status of a result URL that has expired or has a wrong signature. */
  readonly expiredStatus: 403 | 400;
  /** Origin of result URLs: that of the service, or another one. */
  readonly resultsOrigin: "same" | "other";
  /** If true, a trailing slash, or http to a host other than loopback, gets a 307. */
  readonly slashRedirect: false | true;
  /** Body of the attempts of a delivery: the same bytes, or a freshly signed result_url. */
  readonly webhookBody: "same" | "resigned";
  /** Response to a second purchase with the same key and token: the first response, or 409. */
  readonly purchaseRepeat: "replay" | 409;
  /** Status of a poll for a job of another key. */
  readonly foreignJob: 404 | 403;
  /** Status of a purchase with an unknown pack. */
  readonly unknownPack: 400 | 422;
  /** Value of credits_added when a test key buys a pack. */
  readonly testKeyCredits: "pack" | 0;
  /** Value of credits_added in the response to a repeated purchase. */
  readonly repeatCredits: "pack" | 0;
  /** If true, the discovery document, the docs and the OpenAPI document need a key. */
  readonly discoveryKey: false | true;
  /** Status of a POST whose content type is not JSON. */
  readonly wrongContentType: 422 | 415;
  /** If true, items of garment_images_b64 can have a data: prefix. */
  readonly garmentDataUris: false | true;
  /** Window of the rate limit: a minute of the clock, or the last 60 s. */
  readonly rateWindow: "fixed" | "sliding";
  /** Value of error_code after a failure: generation_failed, or the cause of the failure. */
  readonly errorCodes: "generation_failed" | "cause";
  /** Requests in total_calls: those within the rate limit, or only those with a 2xx. */
  readonly totalCalls: "admitted" | "accepted";
}

type Value = string | number | boolean;

export const optionRows: readonly {
  readonly id: keyof Options;
  readonly summary: string;
  readonly values: readonly [Value, Value, ...Value[]];
  readonly observable: boolean;
}[] = [
  {"id":"checkOrder","summary":"Order of authentication and the check that the body is JSON.","values":["auth-first","body-first"],"observable":true},
  {"id":"malformedBody","summary":"Status for a body that is not a JSON object.","values":[422,400],"observable":true},
  {"id":"fieldStatus","summary":"Status for a field of a wrong type or outside its bounds. 400 has a text as detail.","values":[422,400],"observable":true},
  {"id":"metadataCount","summary":"Parts of metadata entries that the limit of 256 characters counts: keys and the JSON text of values, keys and values that are strings, or keys alone.","values":["json","text","keys"],"observable":true},
  {"id":"unknownCursor","summary":"Response of the list to an unknown cursor: an error with this status, or no jobs.","values":[400,422,"empty"],"observable":true},
  {"id":"limitBounds","summary":"Response of the list to a limit out of bounds: an error, or the nearest page size.","values":["refuse","clamp"],"observable":true},
  {"id":"echoInput","summary":"Length of the refused value in a validation error: 64 characters, or all of it.","values":["cut","full"],"observable":true},
  {"id":"oversize","summary":"Status for a body over 64 MiB. 413 has an HTML body, as from a proxy.","values":[400,413],"observable":true},
  {"id":"jsonTypes","summary":"Types of JSON values: lax takes \"true\" and 1 for a boolean and \"7\" for an integer.","values":["strict","lax"],"observable":true},
  {"id":"replayHeader","summary":"If true, a replayed response has the header Idempotent-Replayed: true.","values":[true,false],"observable":true},
  {"id":"concurrentTwin","summary":"Response to a repeated key while the first request still waits: its response, or 409.","values":["join",409],"observable":true},
  {"id":"idempotencyHours","summary":"Number of hours that the service remembers an idempotency key.","values":[24,0.5,1],"observable":false},
  {"id":"replayBody","summary":"Job in a replayed response: as in the first response, or as it is now.","values":["first","current"],"observable":true},
  {"id":"refusedKey","summary":"Idempotency key of a submission refused for its images or its credits: unused, or kept with the refusal.","values":["free","kept"],"observable":true},
  {"id":"stored500","summary":"If true, a key replays a 500 that came after creation and before the model.","values":[false,true],"observable":false},
  {"id":"refund","summary":"Failed jobs whose credits are refunded.","values":["none","failed","failed-except-content-blocked"],"observable":true},
  {"id":"dailySpendCap","summary":"Maximum number of credits that a key can spend in one UTC day.","values":["off",100000],"observable":false},
  {"id":"suspendAfterContentBlocked","summary":"Number of consecutive content refusals that suspend a key.","values":["off",5],"observable":false},
  {"id":"rateHeaders","summary":"Responses that have X-RateLimit-*.","values":["all","429-only","none"],"observable":true},
  {"id":"resetUnit","summary":"Value of X-RateLimit-Reset: a time, or the seconds until it.","values":["epoch","delta"],"observable":true},
  {"id":"retryAfterFormat","summary":"Value of Retry-After: a number of seconds, or an HTTP date.","values":["seconds","date"],"observable":true},
  {"id":"reportQueued","summary":"If true, jobs over the concurrency limit have the status queued.","values":[false,true],"observable":true},
  {"id":"syncCut","summary":"Seconds after which a proxy ends a synchronous request with 504 and HTML. The job goes on.","values":["off",30],"observable":true},
  {"id":"maxLimit","summary":"Maximum page size of the list.","values":[100,50],"observable":true},
  {"id":"filterName","summary":"Query names of the status filter of the list.","values":["both","status_filter","status"],"observable":true},
  {"id":"readLag","summary":"Milliseconds for which reads miss a new job, as on replicas.","values":[0,800],"observable":true},
  {"id":"sparseSubmit","summary":"If true, submission responses omit metadata, seed, test_mode and null fields, and cost_credits and credits_remaining unless the job succeeded.","values":[false,true],"observable":true},
  {"id":"inventSeed","summary":"If true, the service chooses a seed for a job without one.","values":[false,true],"observable":true},
  {"id":"timeFormat","summary":"Format of times: with Z, with +00:00, or without a zone.","values":["Z","offset","naive"],"observable":true},
  {"id":"expiredStatus","summary":"Status of a result URL that has expired or has a wrong signature.","values":[403,400],"observable":true},
  {"id":"resultsOrigin","summary":"Origin of result URLs: that of the service, or another one.","values":["same","other"],"observable":true},
  {"id":"slashRedirect","summary":"If true, a trailing slash, or http to a host other than loopback, gets a 307.","values":[false,true],"observable":true},
  {"id":"webhookBody","summary":"Body of the attempts of a delivery: the same bytes, or a freshly signed result_url.","values":["same","resigned"],"observable":true},
  {"id":"purchaseRepeat","summary":"Response to a second purchase with the same key and token: the first response, or 409.","values":["replay",409],"observable":true},
  {"id":"foreignJob","summary":"Status of a poll for a job of another key.","values":[404,403],"observable":true},
  {"id":"unknownPack","summary":"Status of a purchase with an unknown pack.","values":[400,422],"observable":true},
  {"id":"testKeyCredits","summary":"Value of credits_added when a test key buys a pack.","values":["pack",0],"observable":true},
  {"id":"repeatCredits","summary":"Value of credits_added in the response to a repeated purchase.","values":["pack",0],"observable":true},
  {"id":"discoveryKey","summary":"If true, the discovery document, the docs and the OpenAPI document need a key.","values":[false,true],"observable":true},
  {"id":"wrongContentType","summary":"Status of a POST whose content type is not JSON.","values":[422,415],"observable":true},
  {"id":"garmentDataUris","summary":"If true, items of garment_images_b64 can have a data: prefix.","values":[false,true],"observable":true},
  {"id":"rateWindow","summary":"Window of the rate limit: a minute of the clock, or the last 60 s.","values":["fixed","sliding"],"observable":true},
  {"id":"errorCodes","summary":"Value of error_code after a failure: generation_failed, or the cause of the failure.","values":["generation_failed","cause"],"observable":true},
  {"id":"totalCalls","summary":"Requests in total_calls: those within the rate limit, or only those with a 2xx.","values":["admitted","accepted"],"observable":true},
];
