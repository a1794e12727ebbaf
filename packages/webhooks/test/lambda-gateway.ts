import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

import { startListening, type Listening } from "@tryon/test-kit/listen";

import type { LambdaEvent, LambdaResult } from "../src/adapters/lambda.ts";

/** Gateways that call a Lambda function for an HTTP request. */
export const gateways = ["v1", "v2", "v2, base64", "alb", "alb, multi-value"] as const;
export type Gateway = (typeof gateways)[number];

/** Serves a function over HTTP like a gateway of AWS. */
export function behindGateway(
  gateway: Gateway,
  handler: (event: LambdaEvent) => Promise<LambdaResult>,
): Promise<Listening> {
  const server = createServer((request, response) => {
    void (async () => {
      const result = await handler(eventOf(gateway, request, await buffer(request)));
      const { statusCode, headers, multiValueHeaders, body } = result;
      response.writeHead(statusCode, gateway === "alb, multi-value" ? multiValueHeaders : headers);
      response.end(body);
    })();
  });
  return startListening(server);
}

/** Creates the event of a gateway, with the documented fields that a receiver reads. */
function eventOf(gateway: Gateway, request: IncomingMessage, bytes: Buffer): LambdaEvent {
  const { method = "", rawHeaders } = request;
  const multiValueHeaders = multiValued(rawHeaders);
  const last = mapped(multiValueHeaders, (values) => values.at(-1) ?? "");
  const joined = mapped(multiValueHeaders, (values) => values.join(","));
  const text = { body: bytes.toString("utf8"), isBase64Encoded: false };
  const base64 = { body: bytes.toString("base64"), isBase64Encoded: true };
  const elb = { targetGroupArn: "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/a/b" };
  const http = { headers: joined, requestContext: { http: { method } } };
  const balanced = { httpMethod: method, requestContext: { elb }, ...text };
  const events: Record<Gateway, LambdaEvent> = {
    v1: {
      httpMethod: method,
      requestContext: { httpMethod: method },
      headers: last,
      multiValueHeaders,
      ...text,
      ...(bytes.length === 0 ? { body: null } : {}),
    },
    v2: { ...http, ...text },
    "v2, base64": { ...http, ...base64 },
    alb: { ...balanced, headers: last },
    "alb, multi-value": { ...balanced, multiValueHeaders },
  };
  return events[gateway];
}

function mapped(
  headers: Readonly<Record<string, string[]>>,
  one: (values: readonly string[]) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, one(values)]));
}

function multiValued(raw: readonly string[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? "";
    values[name] = [...(values[name] ?? []), raw[at + 1] ?? ""];
  }
  return values;
}
