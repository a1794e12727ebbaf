// Calls of other entry points than the main one, which `TryOn` documents.
import { defaults } from "../config/options.ts";
import type { Config } from "../config/resolve-config.ts";
import { within } from "../http/deadline.ts";
import type { HttpRequest, HttpResponse, RawRequest } from "../http/http-request.ts";
import { attempt } from "../http/send-with-retries.ts";
import type { ClientContexts } from "./client-context.ts";
import { readImages, type ParsedInput } from "./parse-input.ts";

export async function readParsed(
  { config, parts }: ClientContexts,
  parsed: ParsedInput,
  signal: AbortSignal,
) {
  const settings = { validate: false, log: () => undefined };
  const images = await within(config, { signal }, Infinity, (deadline) =>
    readImages(parsed, settings, deadline, parts.checks),
  );
  return { ...parsed, images };
}

export function digestKey<Digest>(
  contexts: ClientContexts,
  digest: (text: string) => Promise<Digest>,
): Promise<Digest> {
  return contexts.within({}, defaults.callTimeout, ({ config }) => digest(keyText(config)));
}

export function sendRaw(contexts: ClientContexts, request: RawRequest): Promise<HttpResponse> {
  const { purpose, signal } = request;
  const sync = purpose === "submit";
  return contexts.within({ signal }, undefined, async ({ api }, deadline) => {
    return (await api.send(request, { purpose, deadline, sync })).response;
  });
}

export function sendOnce(
  contexts: ClientContexts,
  request: HttpRequest,
  signal: AbortSignal | undefined,
  mayUse: (key: string) => Promise<boolean>,
) {
  return contexts.within({ signal }, undefined, async ({ api, config }, deadline) => {
    if (!(await mayUse(keyText(config)))) return undefined;
    const context = { attempt: 1, purpose: "write" } as const;
    const outcome = await attempt(api.http.transport, request, deadline, context);
    return { outcome, redact: config.redact };
  });
}

function keyText({ baseUrl, apiKey }: Config): string {
  return JSON.stringify([baseUrl, apiKey]);
}
