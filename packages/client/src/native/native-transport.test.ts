import { createMock } from "@tryon/mock";
import { afterEach, expect, it, vi } from "vitest";

import { smallPng } from "../../test/service.ts";
import { createProxy } from "../proxy/index.ts";

afterEach(() => {
  vi.doUnmock("#transport");
  vi.resetModules();
});

it("sends images as text, with cookies for the proxy only", async () => {
  vi.resetModules();
  vi.doMock("#transport", async () => import("./native-transport.ts"));
  const { PageClient } = await import("../page-client.ts");
  const mock = createMock({ latency: 0 });
  const { clock, keys, baseUrl } = mock;
  const options = { apiKey: keys.live, baseUrl, clock, fetch: mock.fetch };
  const proxy = createProxy({ ...options, authorize: () => ({ id: "ada" }) });
  const sent: [unknown, RequestCredentials | undefined][] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    sent.push([init?.body ?? undefined, init?.credentials]);
    const request = new Request(url, init);
    return request.url.startsWith("https://app.example") ? proxy(request) : mock.fetch(request);
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
});
