import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { accepting, readValue } from "@tryon/shared/options";

import { controlPath } from "../control/routes/control-app.ts";
import { json } from "../http/responses.ts";
import { isLoopback } from "@tryon/shared/key-url";
import { mark } from "../version.ts";

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
 * Undefined for a request that the control API answers.
 */
export function controlRefusal(
  request: Request,
  incoming: IncomingMessage,
  token: string,
): Response | undefined {
  if (!isLocal(request, incoming)) return refusal(403, notLocal);
  const { pathname, searchParams } = new URL(request.url);
  const isPage = request.method === "GET" && /^\/?$/.test(pathname.slice(controlPath.length));
  // Cookies are not separate by port, so the name has it.
  const cookie = `tryon_mock_${incoming.socket.localPort}`;
  if (isPage) {
    const given = searchParams.get("token");
    // The page itself has no data, and shows the refusal of its requests.
    if (given === null || !isSame(given, token)) return undefined;
    const setCookie = `${cookie}=${token}; Path=${controlPath}; HttpOnly; SameSite=Strict`;
    return new Response(null, {
      status: 302,
      headers: { location: `${controlPath}/`, "set-cookie": setCookie, ...headers },
    });
  }
  const sent = [
    /^Bearer +(\S+) *$/i.exec(incoming.headers.authorization ?? "")?.[1],
    new RegExp(`(?:^|; *)${cookie}=([\\w-]+)`).exec(incoming.headers.cookie ?? "")?.[1],
  ];
  if (sent.some((given) => given !== undefined && isSame(given, token))) return undefined;
  return refusal(401, noToken, { "WWW-Authenticate": "Bearer" });
}

const headers = { "X-Mock": mark, "Cache-Control": "no-store" };

function refusal(status: number, detail: string, more = {}): Response {
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
function isLocal(request: Request, { headers: sent, socket }: IncomingMessage): boolean {
  // A request line may carry a whole URL, whose host differs from the header's.
  const named = sent.host?.replace(/:\d*$/, "") ?? "";
  // An IPv6 socket writes IPv4 so.
  const peer = socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  const hosts = [peer, named, new URL(request.url).hostname];
  return hosts.every(isLoopback) && !Object.keys(sent).some((name) => proxyHeader.test(name));
}
