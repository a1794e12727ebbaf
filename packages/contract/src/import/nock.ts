import { decodeBody, fromHex } from "./decode-body.ts";
import { headerOf, statusOf, type Field, type Imported, type Recording } from "./imported.ts";

/** Reads calls of `nock.recorder` with `output_objects: true`, and fixtures of `nock.back`. */
export function readNock(calls: Field): Recording {
  let last = 0;
  const exchanges = calls.list().map((call): Imported => {
    const headers = call.get("rawHeaders").headers();
    const date = Date.parse(headerOf(headers, "date") ?? "");
    // In order, and with the seconds of the responses.
    last = Math.max(last + 1, Number.isNaN(date) ? 0 : date);
    const at = last;
    const { origin, pathname } = call.get("scope").url();
    const path = call.get("path");
    const url = `${origin}${pathname.replace(/\/$/, "")}${path.text()}`;
    if (!path.text().startsWith("/") || !URL.canParse(url)) path.fail("must begin with a slash");
    return {
      method: call.get("method").text(),
      url: new URL(url),
      read: () => {
        const status = statusOf(call.get("status"));
        const body = () => responseBody(call, headerOf(headers, "content-encoding"));
        return {
          request: {
            headers: call.get("reqheaders").headers(),
            body: () => bodyOf(call.get("body")),
          },
          ...(status === undefined
            ? { error: "no response" }
            : { response: { status, headers, body } }),
          at,
          isOrderOnly: true,
        };
      },
    };
  });
  return { format: "nock recording", exchanges, skipsUnanswered: "nock" };
}

function bodyOf({ value }: Field): Uint8Array {
  if (value === undefined || value === "") return new Uint8Array();
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
}

function responseBody(call: Field, encoding: string | undefined): Uint8Array {
  const response = call.get("response");
  // A compressed body is a list of its parts in hex, even if the call is not marked as binary.
  if (encoding !== undefined && Array.isArray(response.value)) {
    return decodeBody(Buffer.concat(response.list().map(fromHex)), encoding, response);
  }
  return call.get("responseIsBinary").value === true ? fromHex(response) : bodyOf(response);
}
