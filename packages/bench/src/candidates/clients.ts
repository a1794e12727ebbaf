import { createReadStream, openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";

import { TryOn, type TryOnOptions } from "@tryon/client";

import { createPeer, type Peer } from "../peers.ts";
import type { Call } from "../statistics.ts";
import { benchKey, jsonHeaders } from "./fixtures.ts";

const apiKey = benchKey.token;
const path = "/api/v1/account";
const headers = { authorization: jsonHeaders.authorization, accept: "application/json" };
const ignore = (): void => undefined;

const overFetch = { transport: "fetch" } as const;
const allFeatures: TryOnOptions = {
  retries: 5,
  timeout: "5m",
  logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  middleware: (request, next) => next(request),
};

/** Creates a call to the server at the URL, with the files that it uploads. */
type CreateCall = (url: string, files: readonly string[]) => Promise<Call>;

export const bareFetch = "bare fetch";

/** Clients that read the account, by the names of their rows. */
export const clients: Readonly<Record<string, CreateCall>> = {
  [bareFetch]: async (url) => () => fetchJson(url + path, { headers }),
  "@tryon/client": readAccount({}),
  "@tryon/client, all features": readAccount(allFeatures),
  "@tryon/client over fetch": readAccount(overFetch),
  "@tryon/client, all features over fetch": readAccount({ ...allFeatures, ...overFetch }),
  "openapi-fetch": peer("openapi-fetch", (client) => client.GET(path)),
  ky: peer("ky", (client) => client.get(path.slice(1)).json()),
  fashn: peer("fashn", (client) => client.get(path)),
  openai: peer("openai", (client) => client.get(path)),
  replicate: peer("replicate", (client) => client.accounts.current()),
  stripe: peer("stripe", (client) => client.balance.retrieve()),
};

/** Clients that upload images, by the names of their rows. */
export const uploaders: Readonly<Record<string, CreateCall>> = {
  "naive, files": async (url, files) => async () => naive(url, await readAll(files)),
  "@tryon/client, files": uploadFiles({}),
  "@tryon/client, files over fetch": uploadFiles(overFetch),
  "naive, memory": async (url, files) => {
    const images = await readAll(files);
    return () => naive(url, images);
  },
  "@tryon/client, memory": uploadBytes({}),
  "@tryon/client, memory over fetch": uploadBytes(overFetch),
  "fashn, data URIs": peer("fashn", async (client, files) => {
    const [model_image, ...garment_images] = await readDataUris(files);
    const inputs = { model_image, garment_images };
    return client.predictions.run({ model_name: "tryon-v1.6", inputs });
  }),
  "openai, data URIs": peer("openai", async (client, files) => {
    const images = await readDataUris(files);
    const content = images.map((image_url) => ({ type: "input_image", image_url }));
    return client.responses.create({ model: "m", input: [{ role: "user", content }] });
  }),
  "openai, multipart": peer("openai", (client, files) => {
    const image = files.map((file) => createReadStream(file));
    return client.images.edit({ model: "m", prompt: "p", image });
  }),
  "replicate, multipart": peer("replicate", async (client, files) => {
    const input = { images: await readAll(files) };
    return client.predictions.create({ version: "v", input });
  }),
};

function peer(name: string, call: (client: Peer, files: readonly string[]) => unknown): CreateCall {
  return async (url, files) => {
    const client = await createPeer(name, url, headers);
    return () => call(client, files);
  };
}

const readAll = (files: readonly string[]) => Promise.all(files.map((file) => readFile(file)));

async function readDataUris(files: readonly string[]): Promise<string[]> {
  return (await readAll(files)).map((it) => `data:image/png;base64,${it.toString("base64")}`);
}

async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`Got ${response.status} instead of 200.`);
  return response.json();
}

async function naive(url: string, images: readonly Buffer[]): Promise<unknown> {
  const [person_image_b64, ...garment_images_b64] = images.map((it) => it.toString("base64"));
  const body = JSON.stringify({ person_image_b64, garment_images_b64, wait: false });
  return fetchJson(`${url}/api/v1/tryon`, { method: "POST", headers: jsonHeaders, body });
}

function readAccount(options: TryOnOptions): CreateCall {
  const isFull = options.retries !== undefined;
  const { signal } = new AbortController();
  return async (baseUrl) => {
    const tryon = new TryOn({ apiKey, baseUrl, ...options });
    return () => tryon.account.get(isFull ? { signal, timeout: "1m" } : {});
  };
}

function uploadFiles(options: TryOnOptions): CreateCall {
  return async (url, files) => {
    const submit = createSubmit(url, options);
    const type = "image/png";
    return async () => submit(await Promise.all(files.map((file) => openAsBlob(file, { type }))));
  };
}

function uploadBytes(options: TryOnOptions): CreateCall {
  return async (url, files) => {
    const submit = createSubmit(url, options);
    const images = await readAll(files);
    return () => submit(images);
  };
}

function createSubmit(baseUrl: string, options: TryOnOptions) {
  const tryon = new TryOn({ apiKey, baseUrl, ...options });
  return ([person = new Blob(), ...garments]: readonly (Blob | Uint8Array)[]) =>
    tryon.submit({ person, garments });
}
