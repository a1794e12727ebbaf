import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { readToken } from "../buy-pack.ts";

/** Page on which the user enters a payment token. */
export interface TokenPage {
  readonly url: string;
  /** Resolves once the user has entered a token. The page is closed then. */
  readonly entered: Promise<string>;
  token?: string;
  readonly close: () => void;
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  connection: "close",
};
const begin = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Payment token</title>`;

/**
 * Serves a page of this machine on which the user enters a payment token. The protocol forbids to ask for it in a form of the
 * client, which could show it to the model.
 *
 * @param title - Title of the page: what the token pays for.
 */
export async function openTokenPage(title: string): Promise<TokenPage> {
  const form = `<h1>${title}</h1><form method="post"><label>Payment token <input type="password" name="token" autocomplete="off" autofocus required></label> <button>Buy</button></form>`;
  const path = `/${randomUUID()}`;
  let enter: (token: string) => void;
  const entered = new Promise<string>((resolve) => (enter = resolve));
  let host = "";
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = (status: number, body: string): void => {
      response.writeHead(status, headers).end(begin + body);
    };
    // A page of another site can have its name resolved to this machine.
    if (request.headers.host !== host || request.url !== path) return answer(404, "Not found");
    if (request.method !== "POST") return answer(200, form);
    if (!(Number(request.headers["content-length"]) <= 1_000)) return answer(413, "Too long");
    try {
      const token = readToken(new URLSearchParams(await text(request)).get("token") ?? "");
      if (token === undefined) return answer(200, form);
      answer(200, "The agent continues. You can close this page.");
      page.token = token;
      page.close();
      enter(token);
    } catch (error) {
      answer(400, `${String(Object(error).message)}${form}`);
    }
  };
  const server = createServer((...pair) => void handle(...pair));
  // The page keeps no process alive.
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  host = `127.0.0.1:${port}`;
  const close = (): void => void server.close();
  const page: TokenPage = { url: `http://${host}${path}`, entered, close };
  return page;
}
