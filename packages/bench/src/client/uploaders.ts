import { createReadStream, openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { ReadableStream } from "node:stream/web";

import { TryOn } from "@tryon/client";

import { plentyKey } from "../plenty.ts";
import { loadPeer } from "./load-peer.ts";

/** Uploads all images once, with all that this takes but what was made ready before. */
export type Uploader = () => Promise<unknown>;

const apiKey = plentyKey.token;
const path = "/api/v1/tryon";
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const png = { type: "image/png" };

type Paths = readonly string[];

/** Makes an uploader of some images to a server, by the name of the row. Those that are compared take turns next to each other. */
export const uploaders = {
  "naive, from files": async (url, paths) => async () => naive(url, await readAll(paths)),
  "@tryon/client, from files": async (url, paths) => {
    const tryon = new TryOn({ apiKey, baseUrl: url });
    return async () => submit(tryon, await Promise.all(paths.map((file) => openAsBlob(file, png))));
  },
  "naive, from memory": async (url, paths) => {
    const images = await readAll(paths);
    return () => naive(url, images);
  },
  "@tryon/client, from memory": async (url, paths) => {
    const tryon = new TryOn({ apiKey, baseUrl: url });
    const images = await readAll(paths);
    return () => submit(tryon, images);
  },
  "streamed by hand, from files": async (url, paths) => () => {
    // Both are the platform's own stream, under two names.
    const body = ReadableStream.from(pieces(paths)) as BodyInit;
    // The field is Node's, and not among the types of browsers.
    return post(url, body, { duplex: "half" } as RequestInit);
  },
  "fashn, data URIs": async (url, paths) => {
    type Fashn = new (options: { apiKey: string; baseURL: string }) => {
      readonly predictions: { run(body: object): Promise<unknown> };
    };
    const fashn = new (await loadPeer<Fashn>("fashn"))({ apiKey, baseURL: url });
    return async () => {
      const [model_image, ...garment_images] = (await readAll(paths)).map(dataUri);
      return fashn.predictions.run({
        model_name: "tryon-v1.6",
        inputs: { model_image, garment_images },
      });
    };
  },
  "openai, data URIs": async (url, paths) => {
    const openai = await openaiFor(url);
    return async () => {
      const content = (await readAll(paths)).map((image) => ({
        type: "input_image",
        image_url: dataUri(image),
      }));
      return openai.responses.create({ model: "m", input: [{ role: "user", content }] });
    };
  },
  "openai, files in a form": async (url, paths) => {
    const openai = await openaiFor(url);
    return () =>
      openai.images.edit({
        model: "m",
        prompt: "p",
        image: paths.map((it) => createReadStream(it)),
      });
  },
  "replicate, files in forms": async (url, paths) => {
    type Replicate = new (options: { auth: string; baseUrl: string }) => {
      readonly predictions: { create(options: object): Promise<unknown> };
    };
    const replicate = new (await loadPeer<Replicate>("replicate"))({ auth: apiKey, baseUrl: url });
    return async () =>
      replicate.predictions.create({ version: "v", input: { images: await readAll(paths) } });
  },
} satisfies Readonly<Record<string, (url: string, paths: Paths) => Promise<Uploader>>>;

function readAll(paths: Paths): Promise<Buffer<ArrayBuffer>[]> {
  return Promise.all(paths.map((file) => readFile(file)));
}

function dataUri(image: Buffer): string {
  return `data:image/png;base64,${image.toString("base64")}`;
}

async function post(url: string, body: BodyInit, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url + path, { ...init, method: "POST", headers, body });
  if (!response.ok) throw new Error(`Got ${response.status} in place of 200.`);
  return response.json();
}

function naive(url: string, images: readonly Buffer[]): Promise<unknown> {
  const [person_image_b64, ...garment_images_b64] = images.map((it) => it.toString("base64"));
  return post(url, JSON.stringify({ person_image_b64, garment_images_b64, wait: false }));
}

function submit(tryon: TryOn, images: readonly (Blob | Uint8Array)[]): Promise<unknown> {
  const [person, ...garments] = images;
  if (person === undefined) throw new Error("There is no image.");
  return tryon.submit({ person, garments });
}

/** Pieces are read in multiples of 3 bytes, so that their base64 can be joined. */
async function* pieces(paths: Paths): AsyncGenerator<Uint8Array> {
  for (const [index, file] of paths.entries()) {
    const before = ['{"wait":false,"person_image_b64":"', '","garment_images_b64":["', '","'];
    yield Buffer.from(before[Math.min(index, 2)] ?? "");
    // What is read with no encoding comes as bytes.
    for await (const piece of createReadStream(file, { highWaterMark: 3 * 2 ** 16 })) {
      yield Buffer.from((piece as Buffer).toString("base64"), "latin1");
    }
  }
  yield Buffer.from('"]}');
}

async function openaiFor(baseURL: string) {
  type OpenAI = new (options: { apiKey: string; baseURL: string }) => {
    readonly responses: { create(body: object): Promise<unknown> };
    readonly images: { edit(body: object): Promise<unknown> };
  };
  return new (await loadPeer<OpenAI>("openai"))({ apiKey, baseURL });
}
