import type { Received } from "../src/http/outcome-table.ts";

/** Creates the outcome of a response with this status and decoded body. Status 0 is that of a network error. */
export function received(status: number, content?: unknown, own: object = {}): Received {
  const response = status === 0 ? Response.error() : new Response(null, { status });
  return { response: { status, headers: response.headers, response, text: "", content }, ...own };
}
