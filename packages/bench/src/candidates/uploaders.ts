import { createReadStream, openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";

import { TryOn } from "@tryon/client";

import { createPeer } from "../peers.ts";
import { benchKey, jsonHeaders as headers } from "./fixtures.ts";
import type { Call } from "./time-in-turns.ts";

const apiKey = benchKey.token;

type CreateUpload = (url: string, paths: readonly string[]) => Promise<Call>;

/** Creates a call that uploads all images, by the name of its row. */
export const uploaders: Readonly<Record<string, CreateUpload>> = {
  "naive, files": async (url, paths) => async () => naive(url, await readAll(paths)),
  "@tryon/client, files": async (url, paths) => {
    const submit = createSubmit(url);
    const type = "image/png";
    return async () => submit(await Promise.all(paths.map((path) => openAsBlob(path, { type }))));
  },
  "naive, memory": async (url, paths) => {
    const images = await readAll(paths);
    return () => naive(url, images);
  },
  "@tryon/client, memory": async (url, paths) => {
    const submit = createSubmit(url);
    const images = await readAll(paths);
    return () => submit(images);
  },
  "fashn, data URIs": async (url, paths) => {
    const fashn = await createPeer("fashn", apiKey, url);
    return async () => {
      const [model_image, ...garment_images] = (await readAll(paths)).map(dataUri);
      const inputs = { model_image, garment_images };
      return fashn.predictions.run({ model_name: "tryon-v1.6", inputs });
    };
  },
  "openai, data URIs": async (url, paths) => {
    const openai = await createPeer("openai", apiKey, url);
    return async () => {
      const content = (await readAll(paths)).map((image) => {
        return { type: "input_image", image_url: dataUri(image) };
      });
      return openai.responses.create({ model: "m", input: [{ role: "user", content }] });
    };
  },
  "openai, multipart": async (url, paths) => {
    const openai = await createPeer("openai", apiKey, url);
    return () => {
      const image = paths.map((path) => createReadStream(path));
      return openai.images.edit({ model: "m", prompt: "p", image });
    };
  },
  "replicate, multipart": async (url, paths) => {
    const replicate = await createPeer("replicate", apiKey, url);
    return async () =>
      replicate.predictions.create({ version: "v", input: { images: await readAll(paths) } });
  },
};

function readAll(paths: readonly string[]): Promise<Buffer<ArrayBuffer>[]> {
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

function createSubmit(baseUrl: string) {
  const tryon = new TryOn({ apiKey, baseUrl });
  return ([person, ...garments]: readonly (Blob | Uint8Array)[]): Promise<unknown> => {
    if (person === undefined) throw new Error("There is no image.");
    return tryon.submit({ person, garments });
  };
}
