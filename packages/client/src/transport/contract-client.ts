import createClient, { type Client } from "openapi-fetch";

import type { paths } from "../generated/openapi.ts";
import type { Answer } from "./answer.ts";

/** Sends a request whose body was read. */
type Forward = (request: Request, body: Uint8Array<ArrayBuffer> | undefined) => Promise<Answer>;

const bodilessStatuses = new Set([204, 205, 304]);

/** openapi-fetch, with all that only its users need; loaded late, and so without imports that others share. */
export function createContractClient(baseUrl: string, forward: Forward): Client<paths> {
  return createClient<paths>({
    baseUrl,
    fetch: async (request) => {
      // Not every browser has `request.body`, which would tell before reading.
      const body = new Uint8Array(await request.arrayBuffer());
      const { status, headers, text } = await forward(request, body.length > 0 ? body : undefined);
      return new Response(bodilessStatuses.has(status) ? null : text, { status, headers });
    },
  });
}
