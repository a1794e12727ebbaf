import { ServerResponse } from "node:http";

import type { HttpBindings, Http2Bindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

import type { Mock } from "../mock.ts";
import { textOf } from "../http/responses.ts";
import { rejectRemoteControl } from "./control-guard.ts";
import { isConnectionReset, truncatedBytes } from "../http/broken-connection.ts";

/** Answers one request; where a fault, a reset or the end of the mock breaks the connection, it really breaks. */
export async function answer(
  mock: Pick<Mock, "fetch">,
  request: Request,
  { outgoing }: HttpBindings | Http2Bindings,
  openControl: boolean,
): Promise<Response> {
  // Only HTTP/1 is served.
  if (!(outgoing instanceof ServerResponse)) return mock.fetch(request);
  const refused = openControl ? undefined : rejectRemoteControl(request, outgoing.req);
  if (refused !== undefined) return refused;
  let response: Response;
  try {
    response = await mock.fetch(request);
  } catch (error) {
    if (!isConnectionReset(error)) throw error;
    outgoing.socket?.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  }
  const text = textOf(response);
  if (text !== undefined && request.method !== "HEAD") {
    // In one piece with the headers.
    outgoing.writeHead(response.status, headersOf(response, Buffer.byteLength(text))).end(text);
    return RESPONSE_ALREADY_SENT;
  }
  const bytes = truncatedBytes(response);
  if (bytes === undefined) return response;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (bytes.length > 0) outgoing.write(bytes);
  else outgoing.flushHeaders();
  // What has been written is sent before the connection ends, without the rest that was announced.
  outgoing.socket?.destroySoon();
  return RESPONSE_ALREADY_SENT;
}

function headersOf({ headers }: Response, length: number): string[] {
  const list = ["content-length", String(length)];
  for (const [name, value] of headers) list.push(name, value);
  return list;
}
