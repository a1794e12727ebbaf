import type { IncomingMessage } from "node:http";

import { isLoopback } from "../loopback.ts";
import { controlPath, isControlRequest } from "../control/routes/control-app.ts";
import { mark } from "../version.ts";

/** Headers that a proxy adds. Behind a proxy the TCP peer is not the client. */
const proxyHeader =
  /^(forwarded|via|cdn-loop|x-(forwarded|original|envoy)(-.+)?|(.+-)?(real|client|connecting|user)-?ip)$/;

const refusal = {
  detail: `The addresses under ${controlPath}/ are for callers on the server's own machine, who call it localhost or 127.0.0.1. Open them to all who reach the server with the option --open-control, in code with openControl: true.`,
};

/**
 * The answer to a control call that does not come from this machine, or undefined for a call that may go on. The name by
 * which the server was called counts too: a page of a foreign site whose name was pointed at this machine sends that name.
 */
export function rejectRemoteControl(
  request: Request,
  incoming: IncomingMessage,
): Response | undefined {
  if (!isControlRequest(request)) return undefined;
  const { headers, socket } = incoming;
  // A request line may carry a whole URL, whose host differs from the header's: both count.
  const named = headers.host?.replace(/:\d*$/, "") ?? "";
  const hosts = [socket.remoteAddress ?? "", named, new URL(request.url).hostname];
  const proxied = Object.keys(headers).some((name) => proxyHeader.test(name));
  if (hosts.every(isLoopback) && !proxied) return undefined;
  return Response.json(refusal, { status: 403, headers: { "X-Mock": mark } });
}
