import { createServer, type RequestListener } from "node:http";

import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { listen } from "@tryon/test-kit/listen";
import { onTestFinished } from "vitest";

import type { Time } from "../src/target/time.ts";

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

/** A `fetch` that hides the control API, as other deployments do. */
export function withoutControl(fetch: Mock["fetch"]): Mock["fetch"] {
  return async (resource, init) => {
    const url = resource instanceof Request ? resource.url : String(resource);
    if (!new URL(url).pathname.startsWith("/__mock")) return fetch(resource, init);
    return Response.json({ detail: "Not Found" }, { status: 404 });
  };
}

export function deployed(options: MockOptions = {}): Promise<{ mock: Mock; url: string }> {
  return served(options, ({ fetch }) => withoutControl(fetch));
}

/** The clock of a server, which the kit takes for real time. */
export function realTimeOf({ clock }: Mock): () => Time {
  return () => ({
    virtual: false,
    now: () => clock.now(),
    pass: async (milliseconds) => void (await clock.advance(milliseconds)),
  });
}

export function otherServer(handler: RequestListener): Promise<string> {
  return listen(createServer(handler));
}
