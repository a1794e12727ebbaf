import { createMock } from "@tryon/mock";
import { afterEach, expect, it, vi } from "vitest";

import { smallPng } from "../../test/service.ts";
import { createProxy } from "../proxy/index.ts";

afterEach(() => {
  vi.doUnmock("#transport");
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Blob that only a `FileReader` reads, as in React Native. */
const nativeBlob = (bytes: Uint8Array): object => ({
  bytes,
  size: bytes.length,
  slice: (from: number, to: number) => nativeBlob(bytes.slice(from, to)),
});

class NativeReader {
  result: unknown;
  readonly #listeners: Record<string, () => void> = {};

  addEventListener(type: string, listener: () => void): void {
    this.#listeners[type] = listener;
  }

  readAsArrayBuffer({ bytes }: { readonly bytes: Uint8Array }): void {
    this.result = bytes.slice().buffer;
    queueMicrotask(() => this.#listeners["load"]?.());
  }

  readAsText({ bytes }: { readonly bytes: Uint8Array }): void {
    this.result = new TextDecoder().decode(bytes);
    queueMicrotask(() => this.#listeners["load"]?.());
  }
}

/** Response without a stream, as in React Native. */
async function withBlob(response: Response): Promise<Response> {
  const { status, ok, headers, url } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status, ok, headers, url, blob: async () => nativeBlob(bytes) } as unknown as Response;
}

it.each(["streams", "blobs"])(
  "sends images as text, with cookies for the proxy only, and receives %s",
  async (kind) => {
    vi.resetModules();
    vi.doMock("#transport", async () => import("./native-transport.ts"));
    vi.stubGlobal("FileReader", NativeReader);
    const { PageClient } = await import("../page-client.ts");
    const mock = createMock({ latency: 0 });
    const { clock, keys, baseUrl } = mock;
    const options = { apiKey: keys.live, baseUrl, clock, fetch: mock.fetch };
    const proxy = createProxy({ ...options, authorize: () => ({ id: "ada" }) });
    const sent: [unknown, RequestCredentials | undefined][] = [];
    const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      sent.push([init?.body ?? undefined, init?.credentials]);
      const request = new Request(url, init);
      const isOwn = request.url.startsWith("https://app.example");
      const response = await (isOwn ? proxy(request) : mock.fetch(request));
      return kind === "blobs" ? withBlob(response) : response;
    };
    const client = new PageClient({ baseUrl: "https://app.example/api/tryon", clock, fetch });
    const garments = ["https://shop.example/shirt.png"] as const;
    const result = await client.run({ person: smallPng, garments, prompt: "Größe" });
    expect((await result.image.bytes())[1]).toBe(80);
    const [body, credentials] = sent[0] ?? [];
    expect(JSON.parse(String(body))).toMatchObject({
      prompt: "Größe",
      person_image_b64: Buffer.from(smallPng).toString("base64"),
    });
    expect([typeof body, credentials]).toEqual(["string", undefined]);
    expect(sent.at(-1)).toEqual([undefined, "omit"]);
    const refused = await client.run({ person: smallPng, garments, seed: -5 }).catch(String);
    expect(refused).toContain("seed");
  },
);

it("completes a controller whose signals have neither a reason nor throwIfAborted", async () => {
  class BasicSignal extends EventTarget {
    aborted = false;
  }
  class BasicController {
    readonly #signal = new BasicSignal();
    get signal(): BasicSignal {
      return this.#signal;
    }
    abort(): void {
      this.#signal.aborted = true;
      this.#signal.dispatchEvent(new Event("abort"));
    }
  }
  vi.stubGlobal("AbortController", BasicController);
  vi.stubGlobal("DOMException", undefined);
  vi.resetModules();
  const { AbortController: Controller } = await import("./globals.ts");
  if (Controller === undefined) throw new Error("no controller");
  const [given, silent] = [new Controller(), new Controller()];
  given.signal.throwIfAborted();
  given.abort(new Error("The user has left."));
  given.abort(new Error("again"));
  expect(() => given.signal.throwIfAborted()).toThrow("The user has left.");
  silent.abort();
  expect(silent.signal.reason).toMatchObject({ name: "AbortError" });
  expect(() => silent.signal.throwIfAborted()).toThrow("The call was aborted.");
});
