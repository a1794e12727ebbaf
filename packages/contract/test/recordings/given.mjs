// Shared by the programs of this folder.
import http from "node:http";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";

const { limitedKeys, ...rest } = JSON.parse(process.env.RECORDED_SCENARIO);

export const output = process.env.RECORDED_OUTPUT;

/** Returns what a scenario needs. Each has an own key that soon reaches its rate limit. */
export function given() {
  return { ...rest, limitedKey: limitedKeys.shift() };
}

/** A `fetch` over `node:http` that accepts gzip, as most libraries do. */
export function overHttp(url, { method = "GET", headers = {}, body, signal } = {}) {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "accept-encoding": "gzip" };
    const request = http.request(url, { method, headers: all, signal }, (response) => {
      const isZipped = response.headers["content-encoding"] === "gzip";
      const read = text(isZipped ? response.pipe(createGunzip()) : response);
      resolve({ text: () => read, arrayBuffer: () => read });
    });
    request.once("error", reject);
    request.end(body);
  });
}
