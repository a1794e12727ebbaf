import type { Mock } from "@tryon/mock";

import { fieldsOf, type Fields } from "../../src/wire/response.ts";
import type { Fetch } from "./mutant.ts";

/** A call on its way to the server. */
export interface TamperedCall {
  readonly method: string;
  readonly path: string;
  /** The API key, or an empty text. */
  readonly token: string;
  readonly idempotencyKey: string;
  readonly text: string;
  readonly body: Fields;
  /** Sends it on, changed or as it is. */
  readonly send: (changed?: {
    readonly headers?: Readonly<Record<string, string | null>>;
    readonly body?: unknown;
  }) => Promise<Response>;
}

export type Tamper = (call: TamperedCall) => Promise<Response>;

/** The server with somebody between it and its callers. */
export function tampered({ fetch }: Mock, tamper: Tamper): Fetch {
  return async (resource, init) => {
    const request = new Request(resource, init);
    const text = await request.clone().text();
    const bearer = request.headers.get("authorization") ?? "";
    return tamper({
      method: request.method,
      path: new URL(request.url).pathname,
      token: bearer.replace(/^bearer /i, ""),
      idempotencyKey: request.headers.get("idempotency-key") ?? "",
      text,
      body: fieldsOf(parsed(text)),
      send: ({ headers = {}, body } = {}) => {
        const sent = new Headers(request.headers);
        for (const [name, value] of Object.entries(headers)) {
          if (value === null) sent.delete(name);
          else sent.set(name, value);
        }
        const { method, signal, redirect, url } = request;
        const content = body === undefined ? text : JSON.stringify(body);
        const hasBody = method !== "GET" && method !== "HEAD" && content !== "";
        return fetch(url, {
          method,
          headers: sent,
          signal,
          redirect,
          ...(hasBody && { body: content }),
        });
      },
    });
  };
}

/** Whether a call submits a try-on. */
export function submits({ method, path }: TamperedCall): boolean {
  return method === "POST" && path === "/api/v1/tryon";
}

/** Whether a call buys credits. */
export function buys({ path }: TamperedCall): boolean {
  return path === "/api/v1/credits/purchase";
}

/** Whether a call asks for the account. */
export function asksAccount({ path }: TamperedCall): boolean {
  return path === "/api/v1/account";
}

/** Whether a call asks for one job. */
export function polls({ method, path }: TamperedCall): boolean {
  return method === "GET" && path.startsWith("/api/v1/tryon/");
}

/** The fields of an answer, which can be read again. */
export async function fieldsIn(response: Response): Promise<Fields> {
  return fieldsOf(parsed(await response.clone().text()));
}

/** The answer with other fields, another status or other headers. */
export async function rewritten(
  response: Response,
  change: {
    readonly fields?: Fields | ((fields: Fields) => Fields);
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string | null>>;
  },
): Promise<Response> {
  const known = await fieldsIn(response);
  const { fields = {} } = change;
  const more = typeof fields === "function" ? fields(known) : fields;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  for (const [name, value] of Object.entries(change.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const { status = response.status } = change;
  return new Response(JSON.stringify({ ...known, ...more }), { status, headers });
}

/** A refusal as the service words it. */
export function refusal(status: number, detail = "A planted refusal."): Response {
  return Response.json({ detail }, { status });
}

/** Balances that are not what the server thinks. */
export class Books {
  readonly #changes = new Map<string, number>();

  /** Changes the balance that a key shows from now on. */
  add(token: string, credits: number): void {
    this.#changes.set(token, (this.#changes.get(token) ?? 0) + credits);
  }

  /** What is to be added to the balance of a key. */
  of(token: string): number {
    return this.#changes.get(token) ?? 0;
  }
}

/** As {@link tampered}, with balances that are changed wherever they are told. */
export function miscounted(
  mock: Mock,
  tamper: (call: TamperedCall, books: Books) => Promise<Response>,
): Fetch {
  const books = new Books();
  return tampered(mock, async (call) => {
    const response = await tamper(call, books);
    const change = books.of(call.token);
    if (change === 0 || response.status !== 200 || !(asksAccount(call) || buys(call))) {
      return response;
    }
    return rewritten(response, {
      fields: ({ credits_remaining: credits }) => ({
        // The answer to a purchase cannot tell of a debt.
        credits_remaining: Math.max(buys(call) ? 0 : -Infinity, Number(credits) + change),
      }),
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
