import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { onTestFinished } from "vitest";

export const controlToken = "control-token-of-the-tests";

export async function served(
  options: MockOptions = {},
  fetchOf: (mock: Mock) => Mock["fetch"] = (mock) => mock.fetch,
): Promise<{ mock: Mock; url: string }> {
  const mock = createMock(options);
  const server = await serve({ fetch: fetchOf(mock) }, { controlToken });
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  return { mock, url: server.url };
}

export function deployed(options: MockOptions = {}): Promise<{ mock: Mock; url: string }> {
  return served(options, (mock) => async (resource, init) => {
    const url = resource instanceof Request ? resource.url : String(resource);
    if (!new URL(url).pathname.startsWith("/__mock")) return mock.fetch(resource, init);
    return Response.json({ detail: "Not Found" }, { status: 404 });
  });
}

export async function otherServer(handler: RequestListener): Promise<string> {
  const { url, close } = await listening(handler);
  onTestFinished(close);
  return url;
}

export async function listening(
  handler: RequestListener,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server has this type.
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
