import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

import { accepting, readValue } from "@tryon/shared/options";

import { controlPath, isControlRequest } from "../control/routes/control-app.ts";
import type { HttpResponse } from "../http/message.ts";
import { json } from "../http/responses.ts";
import { isLoopback } from "@tryon/shared/key-url";
import { mark } from "../version.ts";
import type { NodeRequest } from "./node-request.ts";

/** Headers that a proxy adds. Behind a proxy the TCP peer is not the client. */
const proxyHeader =
  /^(forwarded|via|cdn-loop|x-(forwarded|original|envoy)(-.+)?|(.+-)?(real|client|connecting|user)-?ip)$/;

const notLocal = `The URLs under ${controlPath}/ accept only clients on the server's own machine, under localhost or 127.0.0.1. Open them to all clients with the option --open-control, in code with openControl: true.`;

const noToken = `The control API needs its token. Send Authorization: Bearer <token>, or open ${controlPath}/?token=<token> in a browser. tryon-mock prints the token and writes it to a file, exec sets TRYON_MOCK_TOKEN, and in code it is controlToken of serve().`;

export function controlTokenOf(given: string | undefined): string {
  const token = readValue("controlToken (TRYON_MOCK_TOKEN)", given, {
    ...accepting<string>(
      "16 to 200 letters, digits, _ and -",
      (text) => typeof text === "string" && /^[\w-]{16,200}$/.test(text),
    ),
    isSecret: true,
  });
  return token ?? randomBytes(24).toString("base64url");
}

/**
 * Returns the response to a control request that its caller may not make, or a redirect that gives a browser its cookie.
 * Undefined for a request that the control API or the service answers.
 *
 * @param token undefined if the control API is open.
 */
export function controlRefusal(
  request: NodeRequest,
  token: string | undefined,
): HttpResponse | undefined {
  if (token === undefined || !isControlRequest(request)) return undefined;
  if (!isLocal(request)) return refusal(403, notLocal);
  const { incoming, path, search } = request;
  const isPage = request.method === "GET" && /^\/?$/.test(path.slice(controlPath.length));
  // Cookies are not separate by port, so the name has it.
  const cookie = `tryon_mock_${incoming.socket.localPort}`;
  if (isPage) {
    const given = new URLSearchParams(search).get("token");
    // The page itself has no data, and shows the refusal of its requests.
    if (given === null || !isSame(given, token)) return undefined;
    const setCookie = `${cookie}=${token}; Path=${controlPath}; HttpOnly; SameSite=Strict`;
    const location = `${controlPath}/`;
    return { status: 302, headers: { location, "set-cookie": setCookie, ...headers }, body: null };
  }
  const sent = [
    /^Bearer +(\S+) *$/i.exec(incoming.headers.authorization ?? "")?.[1],
    new RegExp(`(?:^|; *)${cookie}=([\\w-]+)`).exec(incoming.headers.cookie ?? "")?.[1],
  ];
  if (sent.some((given) => given !== undefined && isSame(given, token))) return undefined;
  return refusal(401, noToken, { "www-authenticate": "Bearer" });
}

const headers = { "x-mock": mark, "cache-control": "no-store" };

function refusal(status: number, detail: string, more = {}): HttpResponse {
  return json({ detail }, status, { ...headers, ...more });
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

/**
 * Returns true for a request from this machine under a name of this machine. Without the check of the name, a foreign
 * page could send requests under a host name whose DNS entry points to this machine.
 */
function isLocal({ origin, incoming: { headers: sent, socket } }: NodeRequest): boolean {
  // A request line may carry a whole URL, whose host differs from the header's.
  const named = sent.host?.replace(/:\d*$/, "") ?? "";
  // An IPv6 socket writes IPv4 so.
  const peer = socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  const hosts = [peer, named, new URL(origin).hostname];
  return hosts.every(isLoopback) && !Object.keys(sent).some((name) => proxyHeader.test(name));
}
