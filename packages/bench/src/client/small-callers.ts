import { TryOn } from "@tryon/client";

import { plentyKey } from "../plenty.ts";
import { loadPeer } from "./load-peer.ts";

/** Asks once, as users of a package do, and reads the answer. */
export type Caller = () => Promise<unknown>;

const path = "/api/v1/account";
const apiKey = plentyKey.token;
const headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };

/** What all others are compared with. */
export const bareFetch = (url: string): Caller => {
  return async () => {
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`Got ${response.status} in place of 200.`);
    return response.json();
  };
};

/** Makes a caller for the server at an address, by the name of the row. */
export const callers = {
  "@tryon/client": async (url) => {
    const tryon = new TryOn({ apiKey, baseUrl: url });
    return () => tryon.account.get();
  },
  "@tryon/client, all features on": async (url) => everything(url, { middleware: passOn }),
  "@tryon/client, all but middleware": async (url) => everything(url, {}),
  "openapi-fetch": async (url) => {
    interface Client {
      GET(path: string): Promise<{ data?: unknown }>;
    }
    type Create = (options: { baseUrl: string; headers: object }) => Client;
    const client = (await loadPeer<Create>("openapi-fetch"))({ baseUrl: url, headers });
    return async () => {
      const { data } = await client.GET(path);
      if (data === undefined) throw new Error("openapi-fetch got no good answer.");
      return data;
    };
  },
  ky: async (url) => {
    interface Ky {
      create(options: { baseUrl: string; headers: object }): Ky;
      get(path: string): { json(): Promise<unknown> };
    }
    const ky = (await loadPeer<Ky>("ky")).create({ baseUrl: url, headers });
    return () => ky.get(path.slice(1)).json();
  },
  fashn: (url) => generated("fashn", url),
  openai: (url) => generated("openai", url),
  replicate: async (url) => {
    type Replicate = new (options: { auth: string; baseUrl: string }) => {
      readonly accounts: { current(): Promise<unknown> };
    };
    const replicate = new (await loadPeer<Replicate>("replicate"))({ auth: apiKey, baseUrl: url });
    return () => replicate.accounts.current();
  },
  stripe: async (url) => {
    type Stripe = new (
      key: string,
      options: { host: string; port: string; protocol: string; telemetry: boolean },
    ) => { readonly balance: { retrieve(): Promise<unknown> } };
    const { hostname: host, port } = new URL(url);
    const options = { host, port, protocol: "http", telemetry: false };
    const stripe = new (await loadPeer<Stripe>("stripe"))(apiKey, options);
    return () => stripe.balance.retrieve();
  },
} satisfies Readonly<Record<string, (url: string) => Promise<Caller>>>;

/** The clients of fashn and openai come from the same generator. */
async function generated(name: string, baseURL: string): Promise<Caller> {
  type Client = new (options: { apiKey: string; baseURL: string }) => {
    get(path: string): Promise<unknown>;
  };
  const client = new (await loadPeer<Client>(name))({ apiKey, baseURL });
  return () => client.get(path);
}

const nothing = (): void => undefined;
/** Takes all kinds of lines. */
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The client with all features on, over a `fetch` of one's own. */
export const onFetch = (url: string, answer: () => Promise<Response>): Caller =>
  everything(url, { middleware: passOn, fetch: answer });

function everything(url: string, more: object): Caller {
  const timeout = "5m";
  const tryon = new TryOn({ apiKey, baseUrl: url, retries: 5, timeout, logger, ...more });
  const { signal } = new AbortController();
  return () => tryon.account.get({ signal, timeout: "1m" });
}

function passOn(request: Request, next: (request: Request) => Promise<Response>) {
  return next(request);
}
