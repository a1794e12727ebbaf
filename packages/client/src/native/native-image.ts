import { BlobBody, isNativeBlob, type NativeBlob } from "./native-blob.ts";

/**
 * Returns an image of an app as text, or in the form of a `Response`, which the client reads once: a blob of React Native, or an
 * asset of an image picker by its URI.
 */
export function nativeImage(input: unknown): Uint8Array | ReadableStream<Uint8Array> | undefined {
  const { uri, href } = Object(input) as { uri?: unknown; href?: unknown };
  const text = uri ?? href;
  const image =
    typeof text === "string"
      ? (/^(?:https?|data):/i.test(text) && text) || responseOf(() => openUri(text))
      : isNativeBlob(input) && responseOf(async () => input);
  // The caller reads each kind of image. This function has the type of the one for Node.
  return image ? (image as unknown as Uint8Array) : undefined;
}

function responseOf(open: () => Promise<NativeBlob>): object {
  return { [Symbol.toStringTag]: "Response", ok: true, body: new BlobBody(open) };
}

/** Opens a file, also of a provider of content. Not every `fetch` of an app can. */
function openUri(uri: string): Promise<NativeBlob> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.addEventListener("load", () => resolve(request.response as Blob));
    request.addEventListener("error", () => reject(new Error("The file could not be read.")));
    request.open("GET", uri);
    request.responseType = "blob";
    request.send();
  });
}
