import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { readToken } from "../buy-pack.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
};
const begin = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Payment token</title>`;

/**
 * Page of this machine on which the user enters a payment token. The protocol forbids to ask for it in a form of the client,
 * which could show it to the model.
 */
export class TokenPage {
  readonly #path = `/${randomUUID()}`;
  readonly #server: Server;
  /** Token, once the user has entered it. */
  readonly entered: Promise<string>;

  /** @param label - What the token pays for. */
  constructor(label: string) {
    let enter: (token: string) => void;
    this.entered = new Promise((resolve) => (enter = resolve));
    const form = `<h1>${label}</h1><form method="post"><label>Payment token <input type="password" name="token" autocomplete="off" autofocus required></label> <button>Buy</button></form>`;
    this.#server = createServer((request, response) => {
      const answer = (status: number, body: string): void => {
        response.writeHead(status, { ...headers, connection: "close" }).end(begin + body);
      };
      const { address, port } = this.#server.address() as AddressInfo;
      // A page of another site can have its name resolved to this machine.
      if (request.headers.host !== `${address}:${port}` || request.url !== this.#path) {
        return answer(404, "Not found");
      }
      if (request.method !== "POST") return answer(200, form);
      if (Number(request.headers["content-length"] ?? Infinity) > 1_000) {
        return answer(413, "The token is too long.");
      }
      const submit = async (): Promise<void> => {
        const token = readToken(new URLSearchParams(await text(request)).get("token") ?? "");
        if (token === undefined) return answer(200, form);
        answer(200, "The agent continues. You can close this page.");
        enter(token);
      };
      return void submit().catch((error: unknown) => {
        answer(400, `${String(Object(error).message)}${form}`);
      });
    });
  }

  /** Starts to serve the page, and returns its URL. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    // The page keeps no process alive.
    this.#server.unref();
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}${this.#path}`;
  }

  close(): void {
    this.#server.close();
  }
}
