import { TryOn } from "@tryon/client";

import { createPeer, importPeer } from "../peers.ts";
import { benchKey, jsonHeaders } from "./fixtures.ts";
import type { Call } from "./time-in-turns.ts";

const path = "/api/v1/account";
const apiKey = benchKey.token;
const headers = { authorization: jsonHeaders.authorization, accept: "application/json" };
const ignore = (): void => undefined;

/** Baseline of all clients. */
export const bareFetch = "bare fetch";

/** Creates a call that reads the account, by the name of its row. */
export const clients: Readonly<Record<string, (url: string) => Promise<Call>>> = {
  [bareFetch]: async (url) => async () => {
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`Got ${response.status} instead of 200.`);
    return response.json();
  },
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
  fashn: async (url) => {
    const fashn = await createPeer("fashn", apiKey, url);
    return () => fashn.get(path);
  },
  openai: async (url) => {
    const openai = await createPeer("openai", apiKey, url);
    return () => openai.get(path);
  },
  replicate: async (url) => {
    const replicate = await createPeer("replicate", apiKey, url);
    return () => replicate.accounts.current();
  },
  stripe: async (url) => {
    const { default: Stripe } = await importPeer("stripe");
    const { hostname: host, port } = new URL(url);
    const client = new Stripe(apiKey, { host, port, protocol: "http", telemetry: false });
    return () => client.balance.retrieve();
  },
};
