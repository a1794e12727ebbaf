import { completed, json, refused, secret, signed, vector } from "../webhook-vector.ts";
import type { WebhookVector } from "../webhook-vector.ts";

const body = json(completed);
const next = "whsec_c0ffee11aa22bb33";

function fits(
  id: string,
  name: string,
  secrets: ReadonlyArray<string | null>,
  key: string,
  secretIndex = secrets.indexOf(key),
): WebhookVector {
  const expected = { ok: true, secretIndex, event: completed } as const;
  return vector(`secret-${id}`, name, expected, { secrets, headers: signed(body, key) });
}

function unfit(
  id: string,
  name: string,
  secrets: ReadonlyArray<string | null>,
  key = secret,
): WebhookVector {
  const headers = signed(body, key);
  return vector(`secret-${id}`, name, refused("signature_mismatch"), { secrets, headers });
}

function invalid(id: string, name: string, secrets: ReadonlyArray<string | null>): WebhookVector {
  const headers = signed(body, secrets.find((one) => one !== null) ?? "");
  return vector(`secret-${id}`, name, refused("invalid_secret"), { secrets, headers });
}

function alone(id: string, name: string, key: string): WebhookVector {
  return fits(id, name, [key], key);
}

export const secretCases: WebhookVector[] = [
  fits("rotation-new", "the new one of two", [next, secret], next),
  fits("rotation-old", "the old one of two, still in use", [next, secret], secret),
  fits("rotation-unset", "the second of two, the first not set", [null, secret], secret),
  fits("rotation-gap", "the third of three, the second not set", [next, null, secret], secret),
  fits("rotation-last", "the last of eight", ["a", "b", "c", "d", "e", "f", "g", secret], secret),
  fits("twice", "the same one twice counts as the first", [secret, secret], secret, 0),
  alone("underscores", "underscores within", "whsec_a_b__c_"),
  alone("no-prefix", "one without whsec_", "0123456789abcdef"),
  alone(
    "base64-look",
    "one that could be read as base64",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  ),
  alone("hex-look", "one that could be read as hexadecimal", "deadbeefdeadbeefdeadbeefdeadbeef"),
  alone("unicode", "letters beyond ASCII, and an emoji", "whsec_größe_鍵_🔑"),
  fits(
    "outer-space",
    "a line break at its end, which is not part of it",
    ["whsec_line\n"],
    "whsec_line",
    0,
  ),
  fits("blanks-around", "white space around it", [" \t\ufeffwhsec_line\r\n"], "whsec_line", 0),
  alone("one-letter", "a single letter", "k"),
  alone("one-block", "as long as a block of the hash", "k".repeat(64)),
  alone("over-one-block", "longer than a block of the hash", "k".repeat(65)),
  alone("long", "a thousand letters", "k".repeat(1000)),

  unfit("wrong", "another one", [next]),
  unfit("wrong-list", "none of three", [next, "whsec_x", "whsec_y"]),
  unfit("upper-case", "the right one in upper case", [secret.toUpperCase()]),
  unfit("doubled", "the right one twice in one", [secret + secret]),
  unfit("joined", "two joined by a comma", [`${next},${secret}`]),
  unfit(
    "composed",
    "the right letters, composed otherwise",
    ["whsec_gr\u00f6\u00dfe"],
    "whsec_gro\u0308\u00dfe",
  ),
  unfit("prefix-only", "whsec_ alone", ["whsec_"]),
  unfit("cut-short", "the right one without its last letter", [secret.slice(0, -1)]),

  invalid("none", "an empty list", []),
  invalid("unset", "one that is not set", [null]),
  invalid("all-unset", "several, none of them set", [null, null]),
  invalid("empty", "an empty one, and a body signed with it", [""]),
  invalid("blank", "spaces only, and a body signed with them", [" \t\r\n"]),
  invalid("blank-unicode", "spaces beyond ASCII only", ["\u00a0\u2003\u3000\ufeff"]),
  invalid("quoted", "the right one in quotation marks", [`"${secret}"`]),
  invalid("inner-space", "a space within", ["whsec_one two"]),
  invalid("inner-line-break", "two on two lines", [`${secret}\n${next}`]),
  invalid("trailing-nul", "the right one with a zero byte after it", [`${secret}\u0000.`]),
  invalid("one-empty", "a good one and an empty one", [secret, ""]),
  invalid("one-blank", "a blank one ahead of a good one", [" ", secret]),
];
