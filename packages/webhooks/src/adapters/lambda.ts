import { OptionsError } from "@tryon/shared/options";

import { createDeliveryHandler, withEvents } from "../receiver/delivery-handler.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import { lambdaFix } from "../receiver/raw-body-fixes.ts";
import type { NodeRequest } from "../verification/body.ts";

/** Event of API Gateway (v1 or v2), a function URL or an Application Load Balancer. */
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

/** Result that each of these sources accepts. */
export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/** Options of a receiver on Lambda, which has no `background`. */
export type LambdaReceiverOptions = Omit<ReceiverOptions, "background">;

/**
 * Creates a function for AWS Lambda that receives the events of the service, behind API Gateway
 * (REST and HTTP APIs), a function URL or an Application Load Balancer. It works like
 * `createReceiver` of `@tryon/webhooks` and never rejects.
 *
 * Each instance of a function has its own memory: pass a `store` that all instances share, or
 * another instance may handle an event again. `background` is not supported, because Lambda stops
 * an instance after its response. A load balancer without multi-value headers passes on only the
 * last of two signatures.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like `createReceiver` of `@tryon/webhooks`.
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
  // The types exclude the option, but JavaScript or a wider variable may contain it.
  if ((options as ReceiverOptions).background) {
    const hint = "Remove the option, or add the event to a queue in onCompleted.";
    throw new OptionsError("background", "has no time: Lambda stops after the response", hint);
  }
  const receive = createDeliveryHandler(options, [lambdaFix]);
  return withEvents(receive, async (invocation: LambdaEvent | null | undefined) => {
    // A manual invocation may have no event.
    const event: LambdaEvent = invocation ?? {};
    const { requestContext, multiValueHeaders, isBase64Encoded } = event;
    const body = event.body ?? "";
    const response = await receive({
      method: event.httpMethod ?? requestContext?.http?.method,
      // If both are present, `headers` has only the last of several values.
      headers: multiValueHeaders ?? event.headers ?? {},
      body: isBase64Encoded === true ? streamOf(body) : body,
    });
    const result: LambdaResult = {
      statusCode: response.status,
      headers: { ...response.headers },
      body: response.body ?? "",
      isBase64Encoded: false,
    };
    // A load balancer with multi-value headers ignores `headers`.
    if (requestContext?.elb !== undefined && multiValueHeaders) {
      const fields = Object.entries(response.headers).map(([name, value]) => [name, [value]]);
      result.multiValueHeaders = Object.fromEntries(fields);
    }
    return result;
  });
}

/** Decodes a body when it is read, so not for a request without a well-formed signature. */
function streamOf(body: string): NodeRequest {
  return {
    headers: {},
    async *[Symbol.asyncIterator]() {
      // Lambda has Buffer, and the types of all runtimes do not.
      const { Buffer } = globalThis as unknown as {
        readonly Buffer: { from(text: string, encoding: "base64"): Uint8Array };
      };
      yield Buffer.from(body, "base64");
    },
  };
}
