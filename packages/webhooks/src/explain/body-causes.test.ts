import { gzipSync } from "node:zlib";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Cause } from "../index.ts";
import {
  arrived,
  causes,
  eventBody,
  explained,
  provenCauses,
  secret,
  signatureOf,
} from "../../test/explained.ts";

const utf8 = (text: string) => Buffer.from(text, "utf8");
const event: Readonly<Record<string, unknown>> = Object.freeze({
  // Parsed and put together anew, so that each test may write it in its own way.
  ...(JSON.parse(eventBody) as Record<string, unknown>),
});
const sortedBody = JSON.stringify(
  Object.fromEntries(Object.entries(event).toSorted(([one], [other]) => (one < other ? -1 : 1))),
);
const spaced = JSON.stringify(event, null, 1)
  .replace(/\n\s*/g, " ")
  .replace("{ ", "{")
  .replace(" }", "}");
const ascii = (text: string) =>
  text.replace(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
const escapedForHtml = (text: string) =>
  text.replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
const lines = JSON.stringify(event, null, 2);

describe("a body that was changed on its way is named as what it is", () => {
  it.each<[Cause, string, string | Uint8Array, string | Uint8Array]>([
    ["body_rewritten", "JavaScript's for Python's", eventBody, spaced],
    ["body_rewritten", "Python's for JavaScript's", spaced, eventBody],
    ["body_rewritten", "compact for indented by 2", eventBody, lines],
    ["body_rewritten", "compact for indented by 4", eventBody, JSON.stringify(event, null, 4)],
    ["body_rewritten", "compact for tabs", eventBody, JSON.stringify(event, null, "\t")],
    ["body_rewritten", "keys in order for sorted keys", eventBody, sortedBody],
    ["body_rewritten", "sorted keys for the service's order", sortedBody, eventBody],
    ["body_rewritten", "unescaped for escaped non-ASCII", eventBody, ascii(eventBody)],
    ["body_rewritten", "escaped for unescaped non-ASCII", ascii(eventBody), eventBody],
    ["body_rewritten", "plain for Python's default", eventBody, ascii(spaced)],
    ["body_rewritten", "plain for escaped slashes", eventBody, eventBody.replace("/", "\\/")],
    ["body_rewritten", "plain for PHP's default", eventBody, ascii(eventBody.replace("/", "\\/"))],
    ["body_rewritten", "plain for Go's default", eventBody, escapedForHtml(eventBody)],
    ["body_line_end", "added", `${eventBody}\n`, eventBody],
    ["body_line_end", "taken off", eventBody, `${eventBody}\n`],
    ["body_line_end", "CRLF taken off", eventBody, `${eventBody}\r\n`],
    ["body_line_breaks", "LF for CRLF", lines, lines.replaceAll("\n", "\r\n")],
    ["body_line_breaks", "CRLF for LF", lines.replaceAll("\n", "\r\n"), lines],
    ["body_byte_order_mark", "put on", utf8(`\uFEFF${eventBody}`), eventBody],
    ["body_byte_order_mark", "taken off", eventBody, utf8(`\uFEFF${eventBody}`)],
    ["body_charset", "written as latin1", Buffer.from('{"a":"Größe"}', "latin1"), '{"a":"Größe"}'],
    ["body_charset", "read as latin1", utf8(utf8(eventBody).toString("latin1")), eventBody],
    [
      "body_charset",
      "read as windows-1252",
      new TextDecoder("windows-1252").decode(utf8('{"a":"👗€"}')),
      '{"a":"👗€"}',
    ],
    ["body_charset", "written as UTF-16", Buffer.from(eventBody, "utf16le"), eventBody],
    ["body_charset", "signed as UTF-16", eventBody, Buffer.from(eventBody, "utf16le")],
    ["body_base64", "left so by Lambda", utf8(eventBody).toString("base64"), eventBody],
    ["body_base64", "of the other alphabet", utf8(eventBody).toString("base64url"), eventBody],
    ["body_form_encoded", "as a value", `payload=${encodeURIComponent(eventBody)}`, eventBody],
    ["body_form_encoded", "as a name", `${encodeURIComponent(eventBody)}=`, eventBody],
    ["body_form_encoded", "percent-encoded", encodeURIComponent(eventBody), eventBody],
    ["body_compressed", "not decompressed", gzipSync(eventBody), eventBody],
    ["body_quoted", "in a string", JSON.stringify(eventBody), eventBody],
    ["body_buffer_json", "of Node", JSON.stringify(utf8(eventBody)), eventBody],
    ["body_buffer_json", "of bytes", JSON.stringify(new Uint8Array(utf8(eventBody))), eventBody],
  ])("%s: %s", async (cause, _, body, signed) => {
    const explanation = await arrived(body, signed);
    expect(explanation).toMatchObject({ ok: false, code: "signature_mismatch" });
    expect(provenCauses(explanation)).toEqual([cause]);
  });

  it.each<[readonly Cause[], string, string | Uint8Array, string]>([
    [["secret_padded", "body_rewritten"], `${secret}\n`, eventBody, ascii(spaced)],
    [
      ["secret_prefix_missing", "body_base64"],
      secret.slice(6),
      utf8(eventBody).toString("base64"),
      eventBody,
    ],
    [
      ["body_base64", "body_line_end"],
      secret,
      utf8(`${eventBody}\n`).toString("base64"),
      eventBody,
    ],
    [["body_rewritten", "body_line_end"], secret, eventBody, `${lines}\n`],
  ])("two at once: %s", async (expected, secrets, body, signed) => {
    expect(provenCauses(await arrived(body, signed, secrets))).toEqual(expected);
  });

  it("whatever the event says, when it was written anew", async () => {
    const property = fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (data) => {
      // JavaScript cannot tell these from the same JSON.
      const body = JSON.stringify(data);
      const signed = JSON.stringify(data, null, 2);
      fc.pre(body !== signed);
      expect(provenCauses(await arrived(body, signed))).toEqual(["body_rewritten"]);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

describe("what can only be seen of a body", () => {
  it.each<[Cause, string | Uint8Array]>([
    ["body_empty", ""],
    ["body_bytes_lost", '{"a":"\uFFFD\uFFFD"}'],
    ["body_parsed", "[object Object]"],
    ["body_compressed", gzipSync("something else")],
    ["body_charset", Uint8Array.of(0x22, 0xff, 0x22)],
    ["body_form_encoded", "a=b"],
    ["body_base64", "e30="],
    ["body_quoted", '"{}"'],
  ])("is not called proven: %s", async (cause, body) => {
    const explanation = await arrived(body, eventBody);
    expect(provenCauses(explanation)).toEqual([]);
    expect(causes(explanation)).toEqual([cause, "nothing_fits"]);
  });
});

describe("a body that is not there as bytes", () => {
  const headers = { "x-service-signature": signatureOf(spaced) };
  const look = (body: unknown, secrets: string = secret) =>
    // What the types forbid, JavaScript allows.
    explained({ body: body as string, headers, secrets }, secrets, "job_7Hk2mQ9x", eventBody);

  it("is told to be all that is wrong, when the signature fits what was parsed", async () => {
    const explanation = await look(event);
    expect(explanation).toMatchObject({ code: "raw_body_required" });
    expect(provenCauses(explanation)).toEqual(["body_parsed"]);
    expect(JSON.stringify(explanation)).toContain("the signature fits its JSON");
  });

  it("is told together with what is wrong with the secret", async () => {
    expect(provenCauses(await look(event, `${secret}\n`))).toEqual([
      "body_parsed",
      "secret_padded",
    ]);
  });

  it("is told also where the secret fits nothing", async () => {
    expect(causes(await look(event, "whsec_a"))).toEqual(["body_parsed", "nothing_fits"]);
  });

  it("is looked for where Express puts it", async () => {
    const request = { headers, readableDidRead: true, body: event };
    const explanation = await look(request);
    expect(provenCauses(explanation)).toEqual(["body_read_before"]);
    expect(JSON.stringify(explanation)).toContain("the signature fits its JSON");
  });

  it.each<[Cause, unknown]>([
    ["body_missing", undefined],
    ["body_missing", null],
    ["body_not_bytes", 7],
    ["body_parsed", new FormData()],
    ["body_unreadable", new Blob(["{}"]).stream().pipeThrough(new TextDecoderStream())],
  ])("%s", async (cause, body) => {
    const explanation = await look(body);
    expect(explanation).toMatchObject({ code: "raw_body_required" });
    expect(causes(explanation)).toEqual([cause]);
  });

  it("is told to have been read, of a Request", async () => {
    const request = new Request("https://shop.example", { method: "POST", body: spaced, headers });
    await request.json();
    expect(causes(await look(request))).toEqual(["body_read_before"]);
  });

  it("is told to be too long", async () => {
    const body = new Request("https://shop.example", { method: "POST", body: spaced, headers });
    const explanation = await explained({ body, secrets: secret, maxBodyBytes: 10 });
    expect(explanation).toMatchObject({ code: "body_too_large" });
    expect(causes(explanation)).toEqual(["body_too_long"]);
  });
});
