import type { IncomingMessage } from "node:http";

/** The headers of a message, with each of several values. */
export function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
