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
const event: Readonly<Record<string, unknown>> = { ...Object(JSON.parse(eventBody)) };
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

describe("a body that was changed on its way is recognized", () => {
  it.each<[Cause, string, string | Uint8Array, string | Uint8Array]>([
    ["body_rewritten", "JavaScript's format, signed in Python's", eventBody, spaced],
    ["body_rewritten", "Python's format, signed in JavaScript's", spaced, eventBody],
    ["body_rewritten", "compact for indented by 2", eventBody, lines],
    ["body_rewritten", "compact for indented by 4", eventBody, JSON.stringify(event, null, 4)],
    ["body_rewritten", "compact for tabs", eventBody, JSON.stringify(event, null, "\t")],
    ["body_rewritten", "keys in order for sorted keys", eventBody, sortedBody],
    ["body_rewritten", "unescaped for escaped non-ASCII", eventBody, ascii(eventBody)],
    ["body_rewritten", "escaped for unescaped non-ASCII", ascii(eventBody), eventBody],
    ["body_rewritten", "plain for Python's default", eventBody, ascii(spaced)],
    ["body_rewritten", "plain for escaped slashes", eventBody, eventBody.replace("/", "\\/")],
    ["body_rewritten", "plain for Go's default", eventBody, escapedForHtml(eventBody)],
    ["body_trimmed", "added", `${eventBody}\n`, eventBody],
    ["body_trimmed", "taken off", eventBody, `${eventBody}\n`],
    ["body_trimmed", "CRLF taken off", eventBody, `${eventBody}\r\n`],
    ["body_trimmed", "LF for CRLF", lines, lines.replaceAll("\n", "\r\n")],
    ["body_trimmed", "CRLF for LF", lines.replaceAll("\n", "\r\n"), lines],
    ["body_trimmed", "put on", utf8(`\uFEFF${eventBody}`), eventBody],
    ["body_trimmed", "taken off", eventBody, utf8(`\uFEFF${eventBody}`)],
    ["body_charset", "written as UTF-16", Buffer.from(eventBody, "utf16le"), eventBody],
    ["body_encoded", "as in Lambda", utf8(eventBody).toString("base64"), eventBody],
    ["body_encoded", "of the other alphabet", utf8(eventBody).toString("base64url"), eventBody],
    ["body_encoded", "as a value", `payload=${encodeURIComponent(eventBody)}`, eventBody],
    ["body_encoded", "as a name", `${encodeURIComponent(eventBody)}=`, eventBody],
    ["body_encoded", "percent-encoded", encodeURIComponent(eventBody), eventBody],
    ["body_compressed", "not decompressed", gzipSync(eventBody), eventBody],
    ["body_encoded", "in a string", JSON.stringify(eventBody), eventBody],
    ["body_encoded", "of Node", JSON.stringify(utf8(eventBody)), eventBody],
    ["body_encoded", "of bytes", JSON.stringify(new Uint8Array(utf8(eventBody))), eventBody],
  ])("%s: %s", async (cause, _, body, signed) => {
    const explanation = await arrived(body, signed);
    expect(explanation).toMatchObject({ ok: false, code: "signature_mismatch" });
    expect(provenCauses(explanation)).toEqual([cause]);
  });

  it("recognizes any event that was serialized again", async () => {
    const property = fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (data) => {
      // The same text is valid.
      const body = JSON.stringify(data);
      const signed = JSON.stringify(data, null, 2);
      fc.pre(body !== signed);
      expect(provenCauses(await arrived(body, signed))).toEqual(["body_rewritten"]);
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

describe("a body with a likely mistake", () => {
  it.each<[Cause, string | Uint8Array]>([
    ["body_empty", ""],
    ["body_charset", '{"a":"\uFFFD\uFFFD"}'],
    ["body_truncated", eventBody.slice(0, 40)],
    ["body_parsed", "[object Object]"],
    ["body_compressed", gzipSync("something else")],
    ["body_charset", Uint8Array.of(0x22, 0xff, 0x22)],
    ["body_encoded", "a=b"],
    ["body_encoded", "e30="],
    ["body_encoded", '"{}"'],
  ])("is not reported as proven: %s", async (cause, body) => {
    const explanation = await arrived(body, eventBody);
    expect(provenCauses(explanation)).toEqual([]);
    expect(causes(explanation)).toEqual([cause, "nothing_fits"]);
  });
});

describe("a body without bytes", () => {
  const headers = { "x-service-signature": signatureOf(spaced) };
  const request = () =>
    new Request("https://shop.example", { method: "POST", body: spaced, headers });
  const read = request();

  it.each<[Cause, unknown]>([
    ["body_missing", undefined],
    ["body_missing", null],
    ["body_parsed", 7],
    ["body_parsed", event],
    ["body_parsed", new FormData()],
    ["body_read_before", { headers, readableDidRead: true, body: event }],
    ["body_read_before", read],
    ["body_unreadable", new Blob(["{}"]).stream().pipeThrough(new TextDecoderStream())],
    ["body_too_large", request()],
  ])("%s", async (cause, body) => {
    if (!read.bodyUsed) await read.json();
    // The types forbid some values and JavaScript allows them.
    const options = { body: body as string, headers, secrets: secret, maxBodyBytes: 10 };
    const explanation = await explained(options, secret, "job_7Hk2mQ9x", eventBody);
    const code = cause === "body_too_large" ? cause : "raw_body_required";
    expect(explanation).toMatchObject({ code });
    expect(causes(explanation)).toEqual([cause]);
  });
});
