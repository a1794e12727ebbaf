import {
  accepted,
  bytesOf,
  completed,
  hex,
  json,
  refused,
  signed,
  spread,
  vector,
  withBitFlipped,
} from "../webhook-vector.ts";
import type { BodyPart, Expected, WebhookVector } from "../webhook-vector.ts";

const body = json(completed);
const text = JSON.stringify(completed);
const mark = hex("ef bb bf");
const mebibyte = 1_048_576;

function sent(id: string, name: string, expected: Expected, parts: BodyPart[]): WebhookVector {
  return vector(`body-${id}`, name, expected, { body: parts });
}

function noJson(id: string, name: string, parts: BodyPart[]): WebhookVector {
  return sent(id, name, refused("invalid_json"), parts);
}

/** One body is signed, and another one arrives. */
function changed(
  id: string,
  name: string,
  arrives: readonly BodyPart[],
  from: readonly BodyPart[] = body,
): WebhookVector {
  return vector(`changed-${id}`, name, refused("signature_mismatch"), {
    body: arrives,
    headers: signed(from),
  });
}

function flipped(bit: number): BodyPart[] {
  return [{ base64: withBitFlipped(bytesOf(body), bit).toString("base64") }];
}

function saying(error_message: string): WebhookVector["body"] {
  return json({ ...completed, error_message });
}

function says(id: string, name: string, error_message: string): WebhookVector {
  const event = { ...completed, error_message };
  const expected = { ok: true, secretIndex: 0, event } as const;
  return vector(`body-${id}`, name, expected, { body: saying(error_message) });
}

const padded = (count: number): BodyPart[] => [
  { utf8: `${text.slice(0, -1)},"padding":"` },
  { repeat: "a", count },
  { utf8: '"}' },
];
const padding = bytesOf(padded(0)).length;

/** An event of whose fields none is its own. */
const inherited = [{ utf8: `{"__proto__":${text}}` }];

export const bodyCases: WebhookVector[] = [
  says("emoji", "an emoji", "😀 not allowed"),
  says("scripts", "letters of one to four bytes", "a é 鍵 🔑 ‮"),
  says("escapes", "what JSON has to escape", '"\\/\b\f\n\r\t\u0000'),
  sent("escaped-letter", "a letter of a name as an escape", accepted, [
    { utf8: text.replace("job_id", String.raw`\u006aob_id`) },
  ]),
  sent("name-twice", "a name twice, of which the last counts", accepted, [
    { utf8: `{"status":"failed","job_id":"job_other",${text.slice(1)}` },
  ]),
  sent(
    "infinite",
    "a number too large for one",
    { ok: true, secretIndex: 0, event: { ...completed, duration_ms: null } },
    [{ utf8: text.replace("8421", "1e999") }],
  ),
  sent("spaced", "spaces and line breaks", accepted, [
    { utf8: `\r\n${JSON.stringify(completed, null, "\t")}\n` },
  ]),
  sent("byte-order-mark", "a byte order mark, which is signed with the rest", accepted, [
    ...mark,
    ...body,
  ]),
  sent("at-bound", "an event of exactly one MiB", accepted, padded(mebibyte - padding)),
  sent("over-bound", "one byte more than a MiB", refused("body_too_large"), [
    ...padded(mebibyte - padding + 1),
  ]),
  vector("body-at-own-bound", "exactly as long as allowed", accepted, {
    settings: { maxBodyBytes: bytesOf(body).length },
  }),
  vector("body-over-own-bound", "one byte longer than allowed", refused("body_too_large"), {
    settings: { maxBodyBytes: bytesOf(body).length - 1 },
  }),

  sent("prototype", "an event under __proto__", refused("invalid_event"), inherited),

  noJson("empty", "no byte at all", [{ utf8: "" }]),
  noJson("spaces", "spaces only", [{ utf8: "  " }]),
  noJson("letters", "a MiB of one letter", [{ repeat: "a", count: mebibyte }]),
  noJson("brackets", "brackets opened 100,000 deep", [{ repeat: "[", count: 100_000 }]),
  noJson("zero-byte", "a zero byte after the event", [...body, ...hex("00")]),
  noJson("two-marks", "two byte order marks", [...mark, ...mark, ...body]),
  noJson("mark-only", "a byte order mark and nothing else", mark),
  noJson("byte-ff", "a quoted byte that is no UTF-8", hex("22 ff 22")),
  noJson("byte-fe", "another quoted byte that is no UTF-8", hex("22 fe 22")),
  noJson("overlong", "a letter in more bytes than it needs", hex("22 c1 a1 22")),
  noJson("surrogate", "half of a surrogate pair, encoded", hex("22 ed a0 80 22")),
  noJson("cut-emoji", "an emoji without its last byte", hex("22 f0 9f 98 22")),
  noJson("overlong-slash", "a slash in two bytes", hex("22 c0 af 22")),
  noJson("beyond-unicode", "a character beyond the last", hex("22 f4 90 80 80 22")),
  noJson("five-bytes", "a character of five bytes", hex("22 f8 88 80 80 80 22")),
  noJson("continuation", "the second byte of a letter without the first", hex("22 a9 22")),
  noJson("latin1", "an event in Latin-1", [
    {
      base64: Buffer.from(
        JSON.stringify({ ...completed, error_message: "Größe" }),
        "latin1",
      ).toString("base64"),
    },
  ]),
  noJson("inner-mark", "a byte order mark after the event", [...body, ...mark]),
  noJson("utf-16-mark", "the mark of UTF-16 and nothing else", hex("ff fe")),
  noJson("utf-16", "an event in UTF-16", [
    { base64: Buffer.from(text, "utf16le").toString("base64") },
  ]),
  noJson("form", "a form", [{ utf8: "event=tryon.completed&job_id=job_1&status=succeeded" }]),
  noJson("trailing-comma", "a comma too many", [{ utf8: `${text.slice(0, -1)},}` }]),
  noJson("two-events", "two events", [...body, ...body]),
  noJson("not-a-number", "a value that JSON does not have", [{ utf8: '{"event":NaN}' }]),

  changed(
    "byte-ff",
    "a byte that is no UTF-8, signed as another",
    hex("22 ff 22"),
    hex("22 fe 22"),
  ),
  changed(
    "replaced-byte",
    "a byte replaced as a decoder does",
    hex("22 ef bf bd 22"),
    hex("22 ff 22"),
  ),
  changed("other-charset", "the same letters in Latin-1", hex("22 e9 22"), [{ utf8: '"é"' }]),
  changed("mark-moved", "the byte order mark at the end", [...body, ...mark], [...mark, ...body]),
  changed("from-empty", "a body where none was signed", body, [{ utf8: "" }]),
  changed("upper-case", "all letters in upper case", [{ utf8: text.toUpperCase() }]),
  changed(
    "reordered",
    "the same fields in another order",
    json(Object.fromEntries(Object.entries(completed).toReversed())),
  ),
  changed("nul-added", "a zero byte added", [...body, ...hex("00")]),
  changed(
    "mebibyte-end",
    "the last letter of a MiB",
    [{ repeat: "a", count: mebibyte - 1 }, { utf8: "b" }],
    [{ repeat: "a", count: mebibyte }],
  ),
  changed(
    "mebibyte-start",
    "the first letter of a MiB",
    [{ utf8: "b" }, { repeat: "a", count: mebibyte - 1 }],
    [{ repeat: "a", count: mebibyte }],
  ),
  changed("mark-removed", "the byte order mark taken off", body, [...mark, ...body]),
  changed("mark-added", "a byte order mark put on", [...mark, ...body]),
  changed("reserialized", "parsed and written anew with spaces", [
    { utf8: JSON.stringify(completed, null, 2) },
  ]),
  changed("escaped", "the same JSON with one letter escaped", [
    { utf8: text.replace("tryon", String.raw`\u0074ryon`) },
  ]),
  changed("composed", "a letter and its accent made one", saying("\u00e9"), saying("e\u0301")),
  changed("line-break", "a line break added", [...body, { utf8: "\n" }]),
  changed("emptied", "all bytes taken away", [{ utf8: "" }]),
  changed("cut", "the last byte taken away", [{ utf8: text.slice(0, -1) }]),
  changed("status", "another outcome", json({ ...completed, status: "failed" })),
  ...spread(32, 8 * bytesOf(body).length).map((bit) =>
    changed(`bit-${bit}`, `bit ${bit} of the body flipped`, flipped(bit)),
  ),
];
