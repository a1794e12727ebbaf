import type { Context } from "hono";

import type { Settings } from "../settings.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/service-error.ts";
import type { SubmissionFields } from "../service/submission.ts";
import type { KeyRecord } from "../store/records.ts";
import type { System } from "../system/system.ts";
import { errorResponse, rateHeaders } from "./responses.ts";
import { readJsonObject, readPatience } from "./body.ts";
import { bodySchemas, type BodySchemas } from "./schemas.ts";

/** Records submissions for the request journal. */
interface SubmissionLog {
  noteSubmission(request: Request, fields: SubmissionFields): void;
  noteJob(request: Request, jobId: string, replayed: boolean): void;
}

/** What every route stands on. */
export interface Site {
  readonly service: Service;
  readonly system: System;
  readonly settings: Settings;
  readonly schemas: BodySchemas;
  readonly journal: SubmissionLog;
}

export function createSite(site: Omit<Site, "schemas">): Site {
  return { ...site, schemas: bodySchemas(site.service.options.jsonTypes) };
}

/** A call that has passed authentication and the rate limit. */
export interface Call {
  readonly key: KeyRecord;
  readonly request: Request;
  /** Scheme and host that the caller used. */
  readonly origin: () => string;
  /** Reads the body; the second time gives the same. */
  readonly body: () => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * A route that needs a key: authentication, state of the key and rate limit come before the handler, and the headers of
 * the rate limit go on whatever the answer is.
 */
export function keyed(
  site: Site,
  handler: (call: Call, context: Context) => Promise<Response>,
): (context: Context) => Promise<Response> {
  const { service, system } = site;
  const { options } = service;
  return async (context) => {
    let limitHeaders: Record<string, string> = {};
    const answer = async (): Promise<Response> => {
      const request = context.req.raw;
      let read: ReturnType<Call["body"]> | undefined;
      const body: Call["body"] = () =>
        (read ??= system.clock.outside(readJsonObject(request, options), readPatience));
      if (options.checkOrder === "body-first" && request.method === "POST") await body();
      const key = await service.keys.authenticate(bearerToken(request));
      const window = await service.keys.countCall(key.id);
      limitHeaders = rateHeaders(window, system.clock.now(), options);
      if (window.exceeded) {
        throw new ServiceError(
          "rate-limited",
          `Rate limit exceeded: ${window.limit} requests a minute are allowed for this key.`,
        );
      }
      return handler({ key, request, origin: () => new URL(request.url).origin, body }, context);
    };
    const response = await answer().catch((error: unknown) => errorResponse(error, options));
    for (const [name, value] of Object.entries(limitHeaders)) response.headers.set(name, value);
    return response;
  };
}

function bearerToken(request: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}
