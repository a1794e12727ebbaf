import { otherType } from "./forms.ts";
import type { Choices } from "./choices.ts";

const prefix = "sha256=";

/** Characters of headers, and characters that resemble those of a signature. */
const characters: readonly string[] = [
  ...Array.from(
    "0aF \t\r\n\0,;=:\"'-_gGxX%\u00a0\u00e9\u017f\u0430\u0661\uff11\u200b\u2028\ufeff\u0130\ud83d\ude00",
  ),
  "\ud800",
  "0x",
  ", ",
];

const otherPrefixes =
  "|SHA256=|Sha256=|sha256:|sha256 =|sha256= |sha256==|sha512=|sha1=|v1=|t=1,v1=|hmac-sha256=|\u017fha256=| sha256=|sha256=sha256=|sha256|=".split(
    "|",
  );

type TextMutation = (value: string, choices: Choices) => string;

const textMutations: readonly TextMutation[] = [
  (value) => prefix + value.slice(prefix.length).toUpperCase(),
  (value, choices) => choices.pick(otherPrefixes) + value.slice(prefix.length),
  (value, choices) => replace(value, choices, 1, choices.below(16).toString(16)),
  (value, choices) => replace(value, choices, choices.below(2), choices.pick(characters)),
  (value, choices) => replace(value, choices, 1 + choices.below(3), ""),
  (value, choices) => value.slice(0, choices.below(value.length + 1)),
  (value, choices) => value + choices.pick(characters),
  (value, choices) => choices.pick(characters) + value,
  (value, choices) => `${value}\n${choices.pick(characters)}`,
  (value, choices) => `${choices.pick(characters)}\n${value}`,
  (value) => value + value.slice(prefix.length),
  (_value, choices) => prefix + choices.pick(["0", "f", "A"]).repeat(64),
  (value) => prefix + Buffer.from(value.slice(prefix.length), "hex").toString("base64"),
  (value) => `${value}, ${value}`,
  (value) => `${value},${prefix}${"0".repeat(64)}`,
  (value) => `"${value}"`,
  () => "",
  (_value, choices) => choices.bytes(choices.below(80)).toString("latin1"),
];

function replace(value: string, choices: Choices, removed: number, added: string): string {
  const index = choices.below(value.length + 1);
  return value.slice(0, index) + added + value.slice(index + removed);
}

export function mutateSignature(value: string, choices: Choices): readonly unknown[] {
  const text = choices.pick(textMutations)(value, choices);
  const other = otherType(value, choices);
  return choices.pick<readonly unknown[]>([
    ...Array.from({ length: 10 }, () => [text]),
    [choices.pick(textMutations)(text, choices)],
    [],
    [value, value],
    [text, value],
    [value, text],
    [value, other],
    [other],
    [other],
  ]);
}
