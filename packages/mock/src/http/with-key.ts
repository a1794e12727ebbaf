import type { Settings } from "../settings.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/service-error.ts";
import type { SubmissionFields } from "../service/submission.ts";
import type { KeyRecord } from "../store/records.ts";
import type { System } from "../system/system.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";
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
  readonly journal: { note(request: HttpRequest, facts: RequestFacts): void };
}

export interface KeyedRequest {
  readonly key: KeyRecord;
  readonly request: HttpRequest;
  /** Segment of the path at the place of `:name`, or an empty text. */
  readonly part: string;
  /** Reads the body; a second call returns the same promise. */
  readonly body: () => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Wraps the handler of a route that needs a key. The key, its state and the rate limit are checked before the handler
 * runs, and every response after that has the headers of the rate limit.
 */
export function withKey(
  { service, system, journal }: RouteContext,
  handler: (request: KeyedRequest) => Promise<HttpResponse>,
): (request: HttpRequest, part: string) => Promise<HttpResponse> {
  const { options } = service;
  return async (request, part) => {
    let limitHeaders: Record<string, string> = {};
    /** Id of the key whose `total_calls` include the request. */
    let counted: string | undefined;
    let response: HttpResponse | undefined;
    let read: ReturnType<KeyedRequest["body"]> | undefined;
    const body: KeyedRequest["body"] = () =>
      (read ??= readInTime(request, system.clock, () =>
        readJsonObject(request, options, (sent, isShort) =>
          journal.note(request, { body: sent, isShort }),
        ),
      ));
    try {
      if (options.checkOrder === "body-first" && request.method === "POST") await body();
      const { key, window } = service.keys.admit(bearerToken(request));
      limitHeaders = rateHeaders(window, system.clock.now(), options);
      if (window.exceeded) {
        throw new ServiceError(
          "rate-limited",
          `Rate limit exceeded: ${window.limit} requests a minute are allowed for this key.`,
          "errors.429.rate-limited",
        );
      }
      counted = key.id;
      response = await handler({ key, request, part, body });
    } catch (error) {
      response = errorResponse(error, options);
    } finally {
      if (counted !== undefined && response?.status !== 200) service.keys.uncount(counted);
    }
    Object.assign(response.headers, limitHeaders);
    return response;
  };
}

function bearerToken(request: HttpRequest): string | undefined {
  return request.headers.get("authorization")?.match(/^bearer +(\S+) *$/i)?.[1];
}
