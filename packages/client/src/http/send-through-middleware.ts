import type { SendThroughMiddleware } from "./send-request.ts";

export const sendThroughMiddleware: SendThroughMiddleware = async (
  { fetch, middleware, baseUrl, apiKey },
  init,
  context,
  transportRequest,
) => {
  // `duplex` is required for a stream.
  const original = new Request(transportRequest.url, { ...init, duplex: "half" } as RequestInit);
  const idempotencyKey = original.headers.get("idempotency-key") ?? undefined;
  const sendLast = async (request: Request): Promise<Response> => {
    // A copy, since a middleware may keep the request and must not get the key.
    const headers = Object.fromEntries(request.headers);
    if (apiKey && request.url.startsWith(`${baseUrl}/`)) {
      headers["authorization"] ??= `Bearer ${apiKey}`;
    }
    let changes: RequestInit = { headers };
    if (request !== original) {
      const { method, signal } = request;
      const body = await request.arrayBuffer();
      changes = { method, signal, headers, body: body.byteLength > 0 ? body : null };
    }
    const response = await fetch(request.url, { ...init, ...changes }, transportRequest);
    // A later error of a middleware proves nothing.
    transportRequest.onSend("sent");
    return response as Response;
  };
  const send = middleware.reduceRight<typeof sendLast>(
    (next, current) => async (request) => current(request, next, { ...context, idempotencyKey }),
    sendLast,
  );
  return send(original);
};
