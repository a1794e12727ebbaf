import type { Context } from "hono";

import type { Settings } from "../settings.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/service-error.ts";
import type { SubmissionFields } from "../service/submission.ts";
import type { KeyRecord } from "../store/records.ts";
import type { System } from "../system/system.ts";
import { errorResponse, rateHeaders } from "./responses.ts";
import { readInTime, readJsonObject } from "./body.ts";
import type { RequestSchemas } from "./schemas.ts";

export interface RequestFacts {
  /** Body of a request: its JSON value, or the beginning of another text. */
  readonly body?: unknown;
  /** If true, the body has at most 8 KiB. */
  readonly isShort?: boolean;
  readonly fields?: SubmissionFields;
  readonly jobId?: string;
  readonly replayed?: boolean;
}

export interface RouteContext {
  readonly service: Service;
  readonly system: System;
  readonly settings: Settings;
  readonly schemas: () => RequestSchemas;
  readonly journal: { note(request: Request, facts: RequestFacts): void };
}

export interface KeyedRequest {
  readonly key: KeyRecord;
  readonly request: Request;
  /** Reads the body; a second call returns the same promise. */
  readonly body: () => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Wraps the handler of a route that needs a key. The key, its state and the rate limit are checked before the handler
 * runs, and every response after that has the headers of the rate limit.
 */
export function withKey(
  { service, system, journal }: RouteContext,
  handler: (request: KeyedRequest, context: Context) => Promise<Response>,
): (context: Context) => Promise<Response> {
  const { options } = service;
  return async (context) => {
    let limitHeaders: Record<string, string> = {};
    /** Id of the key whose `total_calls` include the request. */
    let counted: string | undefined;
    const respond = async (): Promise<Response> => {
      const request = context.req.raw;
      let read: ReturnType<KeyedRequest["body"]> | undefined;
      const body: KeyedRequest["body"] = () =>
        (read ??= readInTime(request, system.clock, () =>
          readJsonObject(request, options, (sent, isShort) =>
            journal.note(request, { body: sent, isShort }),
          ),
        ));
      if (options.checkOrder === "body-first" && request.method === "POST") await body();
      const { key, window } = service.keys.admit(bearerToken(request));
      limitHeaders = rateHeaders(window, system.clock.now(), options);
      if (!window.exceeded) counted = key.id;
      else {
        throw new ServiceError(
          "rate-limited",
          `Rate limit exceeded: ${window.limit} requests a minute are allowed for this key.`,
          "errors.429.rate-limited",
        );
      }
      return handler({ key, request, body }, context);
    };
    let isAccepted = false;
    try {
      const response = await respond().catch((error: unknown) => errorResponse(error, options));
      isAccepted = response.ok;
      for (const [name, value] of Object.entries(limitHeaders)) response.headers.set(name, value);
      return response;
    } finally {
      if (counted !== undefined && !isAccepted) service.keys.uncount(counted);
    }
  };
}

function bearerToken(request: Request): string | undefined {
  return request.headers.get("authorization")?.match(/^bearer +(\S+) *$/i)?.[1];
}
