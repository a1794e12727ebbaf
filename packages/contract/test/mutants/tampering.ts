import type { Mock } from "@tryon/mock";

import { fieldsOf, type Fields } from "../../src/wire/response.ts";
import type { Fetch, Mutant } from "./mutant.ts";

/** Request on its way to the server. */
export interface TamperedCall {
  readonly method: string;
  readonly path: string;
  /** API key, or an empty text. */
  readonly token: string;
  readonly idempotencyKey: string;
  readonly text: string;
  readonly body: Fields;
  /** Sends it to the server, changed or not. */
  readonly send: (changed?: {
    readonly headers?: Readonly<Record<string, string | null>>;
    readonly body?: unknown;
  }) => Promise<Response>;
}

export type Tamper = (call: TamperedCall) => Promise<Response>;

/** Server behind a proxy that changes requests and responses. */
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

/** If true, a request submits a try-on. */
export function submits({ method, path }: TamperedCall): boolean {
  return method === "POST" && path === "/api/v1/tryon";
}

/** If true, a request buys credits. */
export function buys({ path }: TamperedCall): boolean {
  return path === "/api/v1/credits/purchase";
}

/** If true, a request reads the account. */
export function asksAccount({ path }: TamperedCall): boolean {
  return path === "/api/v1/account";
}

/** If true, a request polls a job. */
export function polls({ method, path }: TamperedCall): boolean {
  return method === "GET" && path.startsWith("/api/v1/tryon/");
}

/** Changes the fields of responses, unless `change` returns undefined. */
export function changedFields(
  change: (fields: Fields, call: TamperedCall, response: Response) => Fields | undefined,
): Mutant["plant"] {
  return (mock) =>
    tampered(mock, async (call) => {
      const response = await call.send();
      const fields = change(await fieldsIn(response), call, response);
      return fields === undefined ? response : rewritten(response, { fields });
    });
}

/** If true, a request reads or makes keys with the control API. */
export function makesKey({ path }: TamperedCall): boolean {
  return /^\/__mock\/(keys|tenants)$/.test(path);
}

/** Fields of a response, which can be read again. */
export async function fieldsIn(response: Response): Promise<Fields> {
  return fieldsOf(parsed(await response.clone().text()));
}

/** Response with other fields, another status or other headers. */
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

/** Refusal of the service. */
export function refusal(status: number, detail = "Refused by a mutant."): Response {
  return Response.json({ detail }, { status });
}

/** Changes of balances. */
export class Books {
  readonly #changes = new Map<string, number>();

  /** Changes the balance that a key shows from now on. */
  add(token: string, credits: number): void {
    this.#changes.set(token, (this.#changes.get(token) ?? 0) + credits);
  }

  /** Returns the change of the balance of a key. */
  of(token: string): number {
    return this.#changes.get(token) ?? 0;
  }
}

/** Server behind a proxy that also changes balances in every response. */
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
        // The response to a purchase has no negative balance.
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
