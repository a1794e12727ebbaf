import type { RequestListener } from "node:http";

import { expect, onTestFinished } from "vitest";

import type { MockOptions } from "../src/mock.ts";
import { manualServer } from "./caller.ts";
import { imageHost, type HostOptions } from "./image-host.ts";
import { assetBytes } from "./images.ts";
import { recordingEngine } from "./recording-server.ts";

/** Returns bytes that begin like a PNG. */
export function png(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write("\u0089PNG\r\n\u001A\n", "latin1");
  return bytes;
}

/** Responds to the requests of a host, given their path. */
export type Listener = (...call: [...Parameters<RequestListener>, path: string]) => void;

/** Creates a server that fetches images, and the host of the images. */
export async function fetchingServer(
  respond: Listener,
  { host: hostOptions, ...options }: MockOptions & { readonly host?: HostOptions } = {},
) {
  const host = await imageHost((request, response) => {
    respond(request, response, request.url ?? "");
  }, hostOptions);
  const { engine, requests } = recordingEngine();
  const { network } = host;
  const { mock, call } = manualServer({ images: "fetch", network, engine, ...options });
  onTestFinished(() => mock.close());
  const at = (path: string): string => `${host.url}${path}`;
  const submit = (fields: Readonly<Record<string, unknown>> = {}, extra = {}) =>
    call.submit(
      { person_url: at("/person.jpg"), garment_urls: [at("/shirt.png")], ...fields },
      extra,
    );
  const nothingHappened = async (): Promise<void> => {
    expect((await call.account()).body.credits_remaining).toBe(1_000);
    expect((await call.list()).body.jobs).toEqual([]);
  };
  return { mock, host, call, submit, requests, at, nothingHappened };
}

/** Responds with a person and garments. */
export const images: Listener = (_request, response, path) => {
  response.end(path === "/person.jpg" ? assetBytes("person.jpg") : assetBytes("shirt.png"));
};

/** Responds to requests of the person with a listener, and to others with the garment. */
export function servePerson(listener: Listener): Listener {
  return (request, response, path) => {
    if (path.startsWith("/shirt")) images(request, response, path);
    else listener(request, response, path);
  };
}
