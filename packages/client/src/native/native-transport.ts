import { fetchTransport as overFetch } from "../http/fetch-transport.ts";
import type { BodySource, ReceivedResponse, Transport } from "../http/http-request.ts";
import { maxBody, type SendConfig } from "../http/send-request.ts";
import { encodeBase64 } from "../jobs/submission-body.ts";
import { BlobBody, isNativeBlob, readText } from "./native-blob.ts";
import { binaryText, decodeUtf8 } from "./read-utf8.ts";

/** Transport over the `fetch` of an app, which sends text and receives blobs. */
export function fetchTransport(config: SendConfig): Transport {
  const transport = overFetch({
    ...config,
    async fetch(url, init, request) {
      // Only the proxy gets the cookies of the app.
      const own: RequestInit = request.context ? {} : { credentials: "omit" };
      const response = await config.fetch(url, { ...init, ...own }, request);
      // The function is that of `fetch`.
      return completeResponse(response as Response);
    },
  });
  return {
    async send(request) {
      const { body } = request;
      return transport.send(
        typeof body === "object" ? { ...request, body: await textOf(body) } : request,
      );
    },
  };
}

async function textOf(body: BodySource): Promise<string> {
  let binary = "";
  for await (const chunk of body.chunks(encodeBase64)) binary += binaryText(chunk);
  return decodeUtf8(binary);
}

/** Adds what a response of React Native lacks: a body in chunks, and a limit of its text. */
function completeResponse(response: Response): ReceivedResponse {
  const toResponse = (): Response => response;
  if (response.body) return Object.assign(response, { toResponse });
  const text = async (): Promise<string> => {
    const blob: unknown = await response.blob();
    return isNativeBlob(blob) ? readText(blob.slice(0, maxBody)) : "";
  };
  return Object.assign(response, {
    toResponse,
    text,
    body: new BlobBody(() => response.blob()),
  });
}
