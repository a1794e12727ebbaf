import { TryOn } from "@tryon/client";

import { importPeer } from "../peers.ts";
import { benchKey } from "./fixtures.ts";

/** Reads the account once, as users of a package do. */
type Caller = () => Promise<unknown>;

const path = "/api/v1/account";
const apiKey = benchKey.token;
const headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };

export const bareFetch = "bare fetch";

/** Creates the baseline of all clients. */
export function createBareFetch(url: string): Caller {
  return async () => {
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`Got ${response.status} instead of 200.`);
    return response.json();
  };
}

const ignore = (): void => undefined;

/** Creates a caller by the name of its row. */
export const clients: Readonly<Record<string, (url: string) => Promise<Caller>>> = {
  "@tryon/client": async (baseUrl) => {
    const tryon = new TryOn({ apiKey, baseUrl });
    return () => tryon.account.get();
  },
  "@tryon/client, all features": async (baseUrl) => {
    const tryon = new TryOn({
      apiKey,
      baseUrl,
      retries: 5,
      timeout: "5m",
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      middleware: (request, next) => next(request),
    });
    const { signal } = new AbortController();
    return () => tryon.account.get({ signal, timeout: "1m" });
  },
  "openapi-fetch": async (baseUrl) => {
    type Create = (options: object) => { GET(path: string): Promise<{ data?: unknown }> };
    const { default: create } = await importPeer<{ default: Create }>("openapi-fetch");
    const client = create({ baseUrl, headers });
    return async () => {
      const { data } = await client.GET(path);
      if (data === undefined) throw new Error("openapi-fetch returned no data.");
      return data;
    };
  },
  ky: async (baseUrl) => {
    type Ky = { create(options: object): Ky; get(path: string): { json(): Promise<unknown> } };
    const { default: ky } = await importPeer<{ default: Ky }>("ky");
    const client = ky.create({ baseUrl, headers });
    return () => client.get(path.slice(1)).json();
  },
  fashn: (url) => generated("fashn", url),
  openai: (url) => generated("openai", url),
  replicate: async (baseUrl) => {
    type Replicate = new (options: object) => { accounts: { current(): Promise<unknown> } };
    const { default: Replicate } = await importPeer<{ default: Replicate }>("replicate");
    const client = new Replicate({ auth: apiKey, baseUrl });
    return () => client.accounts.current();
  },
  stripe: async (url) => {
    type Stripe = new (key: string, options: object) => { balance: { retrieve: Caller } };
    const { default: Stripe } = await importPeer<{ default: Stripe }>("stripe");
    const { hostname: host, port } = new URL(url);
    const client = new Stripe(apiKey, { host, port, protocol: "http", telemetry: false });
    return () => client.balance.retrieve();
  },
};

/** The clients of fashn and openai come from the same generator. */
async function generated(name: string, baseURL: string): Promise<Caller> {
  type Client = new (options: object) => { get(path: string): Promise<unknown> };
  const { default: Client } = await importPeer<{ default: Client }>(name);
  const client = new Client({ apiKey, baseURL });
  return () => client.get(path);
}
