import type { ReceiverResponse } from "../receiver/response.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import { createDeliveryHandler } from "../receiver/delivery-handler.ts";
import type { Delivery } from "../receiver/delivery-handler.ts";
import type { NodeRequest } from "../verification/body.ts";

/** What a function is called with by API Gateway (v1, v2), a function URL or a load balancer. */
export interface LambdaEvent {
  readonly httpMethod?: string | undefined;
  readonly requestContext?:
    | {
        readonly http?: { readonly method: string } | undefined;
        readonly httpMethod?: string | undefined;
        readonly elb?: unknown;
      }
    | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | null
    | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** What each of them takes for an answer. */
export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/** Options of a receiver on Lambda: all of them but `background`, which cannot be there. */
export type LambdaReceiverOptions = Omit<ReceiverOptions, "background">;

const fix =
  "Lambda: the body of the event is no text any more, because a middleware has parsed it. Export the receiver itself: `export const handler = createReceiver(options);`, with middy without httpJsonBodyParser.";

/**
 * Makes a function for AWS Lambda that receives the events of the service, behind API Gateway (REST
 * and HTTP APIs), a function URL or an Application Load Balancer. It does what `createReceiver` of
 * `@tryon/webhooks` does, and never rejects.
 *
 * Each instance of a function has a memory of its own: give it a `store` that they share, or an
 * event may be handled again by another. `background` is refused: Lambda stops an instance when it
 * has answered. A load balancer that is not set to multi-value headers passes on only the last of
 * two signatures.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be.
 * @example
 * import { createReceiver } from "@tryon/webhooks/lambda";
 *
 * export const handler = createReceiver({
 *   secrets: process.env.TRYON_WEBHOOK_SECRET,
 *   store,
 *   onCompleted: (event) => save(event.job_id, event.result_url),
 * });
 */
export function createReceiver(
  options: LambdaReceiverOptions,
): (event: LambdaEvent | null | undefined) => Promise<LambdaResult> {
  // The types have no such option; JavaScript, and a variable with more in it, may.
  if ((options as ReceiverOptions).background) {
    throw new TypeError(
      "background: Lambda stops when it has answered, and the work with it. Leave it out, or put the event into a queue in onCompleted.",
    );
  }
  const receive = createDeliveryHandler(options, fix);
  return async (invocation) => {
    // An invocation by hand may have no event.
    const event: LambdaEvent = invocation ?? {};
    return resultOf(event, await receive(deliveryOf(event)));
  };
}

function deliveryOf(event: LambdaEvent): Delivery {
  const { requestContext, multiValueHeaders, headers, isBase64Encoded } = event;
  const body = event.body ?? "";
  return {
    method: event.httpMethod ?? requestContext?.http?.method,
    // Where both are there, the other one has only the last of several values.
    headers: multiValueHeaders ?? headers ?? {},
    body: isBase64Encoded === true ? streamOf(body) : body,
  };
}

/** A body that is decoded when it is read: never for a request without a well-formed signature. */
function streamOf(body: string): NodeRequest {
  return {
    headers: {},
    async *[Symbol.asyncIterator]() {
      yield decodeBase64(body);
    },
  };
}

/** Decodes base64. Text that is not base64 gives other bytes, which fit no signature. */
function decodeBase64(body: string): Uint8Array {
  // Node has Buffer, which is fast, and the types of all runtimes have not.
  const { Buffer } = globalThis as {
    Buffer?: { from(text: string, encoding: string): Uint8Array };
  };
  if (Buffer !== undefined) return Buffer.from(body, "base64");
  try {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    return new TextEncoder().encode(body);
  }
}

function resultOf(event: LambdaEvent, { status, headers, body }: ReceiverResponse): LambdaResult {
  const result = {
    statusCode: status,
    headers: { ...headers },
    body: body ?? "",
    isBase64Encoded: false,
  };
  // A load balancer that is set to multi-value headers heeds no others.
  if (event.requestContext?.elb === undefined || !event.multiValueHeaders) return result;
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) multiValueHeaders[name] = [value];
  return { ...result, multiValueHeaders };
}
