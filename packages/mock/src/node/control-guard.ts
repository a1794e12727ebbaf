import type { IncomingMessage } from "node:http";

import { controlPath, isControlCall } from "../steering/control/control-app.ts";
import { mark } from "../version.ts";

/** Host names that never leave the machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[?::1\]?|::ffff:127\.[\d.]+)$/i.test(host);
}

/** What a proxy adds to what it hands on: then the neighbour that calls is not the one who asks. */
const proxyHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

const refusal = {
  detail: `The addresses under ${controlPath}/ are for callers on the server's own machine, who call it localhost or 127.0.0.1. Open them to all who reach the server with the option --open-control, in code with openControl: true.`,
};

/**
 * The answer to a control call that does not come from this machine, or undefined for a call that may go on. The name by
 * which the server was called counts too: a page of a foreign site whose name was pointed at this machine sends that name.
 */
export function refuseFromAfar(request: Request, incoming: IncomingMessage): Response | undefined {
  if (!isControlCall(request)) return undefined;
  const { hostname } = new URL(request.url);
  const near = isLoopback(incoming.socket.remoteAddress ?? "") && isLoopback(hostname);
  if (near && proxyHeaders.every((name) => !request.headers.has(name))) return undefined;
  return Response.json(refusal, { status: 403, headers: { "X-Mock": mark } });
}
