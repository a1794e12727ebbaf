import {
  accepted,
  bytesOf,
  completed,
  hex,
  json,
  refused,
  signed,
  vector,
} from "../webhook-vector.ts";
import type { BodyPart, Expected, WebhookVector } from "../webhook-vector.ts";

const error_message = "😀 é 鍵";
const body = json({ ...completed, error_message });
const said: Expected = { ok: true, secretIndex: 0, event: { ...completed, error_message } };
const length = bytesOf(body).length;
const emoji = bytesOf(body).indexOf("😀");
const mark = hex("ef bb bf");
const mebibyte = 1_048_576;
const letters: BodyPart[] = [{ repeat: "a", count: mebibyte }];

function cut(
  id: string,
  name: string,
  chunks: readonly number[],
  expected: Expected = said,
  parts: readonly BodyPart[] = body,
): WebhookVector {
  return vector(`chunks-${id}`, name, expected, { body: parts, chunks });
}

function every(step: number, end: number): number[] {
  return Array.from({ length: Math.ceil(end / step) - 1 }, (_, index) => step * (index + 1));
}

export const chunkCases: WebhookVector[] = [
  ...[1, 2, 3].map((byte) =>
    cut(`emoji-${byte}`, `an emoji cut after byte ${byte} of it`, [emoji + byte]),
  ),
  cut(
    "emoji-apart",
    "an emoji in four chunks",
    [1, 2, 3].map((byte) => emoji + byte),
  ),
  cut("emoji-gap", "an emoji cut in two, with empty chunks between", [
    emoji + 2,
    emoji + 2,
    emoji + 2,
  ]),
  cut("single-bytes", "a chunk for each byte", every(1, length)),
  cut("empty-ends", "empty chunks at both ends", [0, 0, length, length]),
  cut("mark", "a byte order mark cut in two", [1], accepted, [...mark, ...json(completed)]),
  cut("mark-apart", "a byte order mark in three chunks", [1, 2], accepted, [
    ...mark,
    ...json(completed),
  ]),
  cut(
    "inner-mark",
    "a chunk that begins with bytes like a byte order mark",
    [1],
    refused("invalid_json"),
    [{ utf8: "{" }, ...mark, { utf8: JSON.stringify(completed).slice(1) }],
  ),
  cut(
    "no-utf-8",
    "half an emoji at the end of a chunk",
    [3],
    refused("invalid_json"),
    hex("22 f0 9f 22"),
  ),
  cut("nothing", "two chunks, both empty", [0], refused("invalid_json"), [{ utf8: "" }]),
  cut(
    "mebibyte",
    "a MiB in many chunks",
    every(65_521, mebibyte),
    refused("invalid_json"),
    letters,
  ),
  cut(
    "bound",
    "a byte more than a MiB, in a chunk of its own",
    [mebibyte],
    refused("body_too_large"),
    [...letters, { utf8: "a" }],
  ),
  vector("chunks-swapped", "two chunks that changed places", refused("signature_mismatch"), {
    body: [{ utf8: "ba" }],
    headers: signed([{ utf8: "ab" }]),
    chunks: [1],
  }),
  vector("chunks-lost", "a chunk that got lost", refused("signature_mismatch"), {
    body: json(completed),
    headers: signed([...json(completed), { utf8: " " }]),
    chunks: [9],
  }),
  vector("chunks-replaced", "an emoji decoded in halves", refused("signature_mismatch"), {
    body: hex("22 efbfbd efbfbd 22"),
    headers: signed(hex("22 f09f9880 22")),
    chunks: [4],
  }),
];
