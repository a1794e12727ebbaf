import { createReadStream, openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";

import { TryOn } from "@tryon/client";

import { importPeer } from "../peers.ts";
import { benchKey } from "./fixtures.ts";
import type { Call } from "./time-in-turns.ts";

type Paths = readonly string[];

const apiKey = benchKey.token;
const png = { type: "image/png" };
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };

type CreateUpload = (url: string, paths: Paths) => Promise<Call>;

/** Creates a call that uploads all images, by the name of its row. */
export const uploaders: Readonly<Record<string, CreateUpload>> = {
  "naive, files": async (url, paths) => async () => naive(url, await readAll(paths)),
  "@tryon/client, files": async (baseUrl, paths) => {
    const tryon = new TryOn({ apiKey, baseUrl });
    return async () => submit(tryon, await Promise.all(paths.map((path) => openAsBlob(path, png))));
  },
  "naive, memory": async (url, paths) => {
    const images = await readAll(paths);
    return () => naive(url, images);
  },
  "@tryon/client, memory": async (baseUrl, paths) => {
    const tryon = new TryOn({ apiKey, baseUrl });
    const images = await readAll(paths);
    return () => submit(tryon, images);
  },
  "fashn, data URIs": async (baseURL, paths) => {
    const { default: Fashn } = await importPeer("fashn");
    const fashn = new Fashn({ apiKey, baseURL });
    return async () => {
      const [model_image, ...garment_images] = (await readAll(paths)).map(dataUri);
      const inputs = { model_image, garment_images };
      return fashn.predictions.run({ model_name: "tryon-v1.6", inputs });
    };
  },
  "openai, data URIs": async (url, paths) => {
    const openai = await createOpenAI(url);
    return async () => {
      const content = (await readAll(paths)).map((image) => {
        return { type: "input_image", image_url: dataUri(image) };
      });
      return openai.responses.create({ model: "m", input: [{ role: "user", content }] });
    };
  },
  "openai, multipart": async (url, paths) => {
    const openai = await createOpenAI(url);
    return () => {
      const image = paths.map((path) => createReadStream(path));
      return openai.images.edit({ model: "m", prompt: "p", image });
    };
  },
  "replicate, multipart": async (baseUrl, paths) => {
    const { default: Replicate } = await importPeer("replicate");
    const replicate = new Replicate({ auth: apiKey, baseUrl });
    return async () =>
      replicate.predictions.create({ version: "v", input: { images: await readAll(paths) } });
  },
};

function readAll(paths: Paths): Promise<Buffer<ArrayBuffer>[]> {
  return Promise.all(paths.map((path) => readFile(path)));
}

function dataUri(image: Buffer): string {
  return `data:image/png;base64,${image.toString("base64")}`;
}

async function naive(url: string, images: readonly Buffer[]): Promise<unknown> {
  const [person_image_b64, ...garment_images_b64] = images.map((it) => it.toString("base64"));
  const body = JSON.stringify({ person_image_b64, garment_images_b64, wait: false });
  const response = await fetch(`${url}/api/v1/tryon`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`Got ${response.status} instead of 200.`);
  return response.json();
}

function submit(tryon: TryOn, images: readonly (Blob | Uint8Array)[]): Promise<unknown> {
  const [person, ...garments] = images;
  if (person === undefined) throw new Error("There is no image.");
  return tryon.submit({ person, garments });
}

async function createOpenAI(baseURL: string) {
  const { default: OpenAI } = await importPeer("openai");
  return new OpenAI({ apiKey, baseURL });
}
