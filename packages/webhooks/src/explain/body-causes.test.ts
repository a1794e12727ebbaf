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
    ["body_rewritten", "plain for PHP's default", eventBody, ascii(eventBody.replace("/", "\\/"))],
    ["body_rewritten", "plain for Go's default", eventBody, escapedForHtml(eventBody)],
    ["body_trimmed", "added", `${eventBody}\n`, eventBody],
    ["body_trimmed", "taken off", eventBody, `${eventBody}\n`],
    ["body_trimmed", "CRLF taken off", eventBody, `${eventBody}\r\n`],
    ["body_trimmed", "LF for CRLF", lines, lines.replaceAll("\n", "\r\n")],
    ["body_trimmed", "CRLF for LF", lines.replaceAll("\n", "\r\n"), lines],
    ["body_trimmed", "put on", utf8(`\uFEFF${eventBody}`), eventBody],
    ["body_trimmed", "taken off", eventBody, utf8(`\uFEFF${eventBody}`)],
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
  const explainBody = (body: unknown, secrets: string = secret) =>
    // What the types forbid, JavaScript allows.
    explained({ body: body as string, headers, secrets }, secrets, "job_7Hk2mQ9x", eventBody);

  it("is the only cause if the signature fits the parsed JSON", async () => {
    const explanation = await explainBody(event);
    expect(explanation).toMatchObject({ code: "raw_body_required" });
    expect(provenCauses(explanation)).toEqual(["body_parsed"]);
    expect(JSON.stringify(explanation)).toContain("the signature fits its JSON");
  });

  it("is reported with a likely mistake in the secret", async () => {
    expect(causes(await explainBody(event, `${secret}\n`))).toEqual([
      "body_parsed",
      "secret_padded",
      "nothing_fits",
    ]);
  });

  it("is reported if the secret fits nothing, too", async () => {
    expect(causes(await explainBody(event, "whsec_a"))).toEqual(["body_parsed", "nothing_fits"]);
  });

  it("is found in the body property of an Express request", async () => {
    const request = { headers, readableDidRead: true, body: event };
    const explanation = await explainBody(request);
    expect(provenCauses(explanation)).toEqual(["body_read_before"]);
    expect(JSON.stringify(explanation)).toContain("the signature fits its JSON");
  });

  it.each<[Cause, unknown]>([
    ["body_missing", undefined],
    ["body_missing", null],
    ["body_parsed", 7],
    ["body_parsed", new FormData()],
    ["body_unreadable", new Blob(["{}"]).stream().pipeThrough(new TextDecoderStream())],
  ])("%s", async (cause, body) => {
    const explanation = await explainBody(body);
    expect(explanation).toMatchObject({ code: "raw_body_required" });
    expect(causes(explanation)).toEqual([cause]);
  });

  it("is reported as read for a Request", async () => {
    const request = new Request("https://shop.example", { method: "POST", body: spaced, headers });
    await request.json();
    expect(causes(await explainBody(request))).toEqual(["body_read_before"]);
  });

  it("is reported as too large", async () => {
    const body = new Request("https://shop.example", { method: "POST", body: spaced, headers });
    const explanation = await explained({ body, secrets: secret, maxBodyBytes: 10 });
    expect(explanation).toMatchObject({ code: "body_too_large" });
    expect(causes(explanation)).toEqual(["body_too_large"]);
  });
});
