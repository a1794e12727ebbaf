import { TryOn } from "@tryon/client";

import { importPeer } from "../peers.ts";
import { benchKey } from "./fixtures.ts";
import type { Call } from "./time-in-turns.ts";

const path = "/api/v1/account";
const apiKey = benchKey.token;
const headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };

export const bareFetch = "bare fetch";

/** Creates the baseline of all clients. */
export function createBareFetch(url: string): Call {
  return async () => {
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`Got ${response.status} instead of 200.`);
    return response.json();
  };
}

const ignore = (): void => undefined;

/** Creates a call that reads the account, by the name of its row. */
export const clients: Readonly<Record<string, (url: string) => Promise<Call>>> = {
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
    const { default: createClient } = await importPeer("openapi-fetch");
    const client = createClient({ baseUrl, headers });
    return () => client.GET(path);
  },
  ky: async (baseUrl) => {
    const { default: ky } = await importPeer("ky");
    const client = ky.create({ baseUrl, headers });
    return () => client.get(path.slice(1)).json();
  },
  fashn: (url) => generated("fashn", url),
  openai: (url) => generated("openai", url),
  replicate: async (baseUrl) => {
    const { default: Replicate } = await importPeer("replicate");
    const client = new Replicate({ auth: apiKey, baseUrl });
    return () => client.accounts.current();
  },
  stripe: async (url) => {
    const { default: Stripe } = await importPeer("stripe");
    const { hostname: host, port } = new URL(url);
    const client = new Stripe(apiKey, { host, port, protocol: "http", telemetry: false });
    return () => client.balance.retrieve();
  },
};

/** The clients of fashn and openai come from the same generator. */
async function generated(name: string, baseURL: string): Promise<Call> {
  const { default: Client } = await importPeer(name);
  const client = new Client({ apiKey, baseURL });
  return () => client.get(path);
}
