import type { Random } from "./random.ts";

const prefix = "sha256=";

/** What headers hold besides letters of signatures, and what only resembles those. */
const characters: readonly string[] = [
  ...Array.from(
    "0123456789abcdefABCDEF \t\r\n\0,;=:\"'-_gGzxX%\u00a0\u00e9\u017f\u0430\u0661\uff11\u200b\u2028\ufeff\u0130\ud83d\ude00",
  ),
  "\ud800",
  "0x",
  ", ",
];

const otherPrefixes = [
  "",
  "SHA256=",
  "Sha256=",
  "sha256:",
  "sha256 =",
  "sha256= ",
  "sha256==",
  "sha512=",
  "sha1=",
  "v1=",
  "v1,",
  "t=1,v1=",
  "hmac-sha256=",
  "\u017fha256=",
  " sha256=",
  "sha256=sha256=",
  "sha256",
  "=",
];

type TextMutation = (value: string, random: Random) => string;

const textMutations: readonly TextMutation[] = [
  (value) => prefix + value.slice(prefix.length).toUpperCase(),
  (value, random) =>
    prefix +
    value
      .slice(prefix.length)
      .replaceAll(/[a-f]/g, (digit) => (random.oneIn(2) ? digit.toUpperCase() : digit)),
  (value) => value.toUpperCase(),
  (value, random) => random.pick(otherPrefixes) + value.slice(prefix.length),
  (value, random) => replaced(value, random, 1, random.below(16).toString(16)),
  (value, random) => replaced(value, random, 1, random.pick(characters)),
  (value, random) => replaced(value, random, 0, random.pick(characters)),
  (value, random) => replaced(value, random, 1 + random.below(3), ""),
  (value, random) => value.slice(0, random.below(value.length + 1)),
  (value, random) => value.slice(random.below(value.length + 1)),
  (value, random) => value + random.pick(characters),
  (value, random) => random.pick(characters) + value,
  (value) => value + value,
  (value, random) => `${value}\n${random.pick(characters)}`,
  (value, random) => `${random.pick(characters)}\n${value}`,
  (value) => value.slice(0, -1) + otherDigit(value.slice(-1)),
  (value) => prefix + otherDigit(value.charAt(prefix.length)) + value.slice(prefix.length + 1),
  (value) => value + value.slice(prefix.length),
  (value) => prefix + Array.from(value.slice(prefix.length)).toReversed().join(""),
  (value) =>
    prefix + value.slice(prefix.length + 32) + value.slice(prefix.length, prefix.length + 32),
  (_value, random) => prefix + random.pick(["0", "f", "e", "A"]).repeat(64),
  (_value, random) => prefix + random.bytes(32).toString("hex"),
  (value) => prefix + Buffer.from(value.slice(prefix.length), "hex").toString("base64"),
  (value) => prefix + Buffer.from(value.slice(prefix.length), "hex").toString("latin1"),
  (value) => `${value}, ${value}`,
  (value) => `${value},${prefix}${"0".repeat(64)}`,
  (value) => `"${value}"`,
  (value) => encodeURIComponent(value.toWellFormed()),
  () => "",
  (_value, random) => random.bytes(random.below(80)).toString("latin1"),
  (value) => value.normalize("NFKD"),
];

/** Another digit than this one, which differs from it in the last bit. */
function otherDigit(digit: string): string {
  return (Number.parseInt(digit, 16) ^ 1).toString(16);
}

function replaced(value: string, random: Random, removed: number, added: string): string {
  const at = random.below(value.length + 1);
  return value.slice(0, at) + added + value.slice(at + removed);
}

/** Values that are no text, most of which become the right one where somebody makes text of them. */
const otherTypes: ReadonlyArray<(value: string) => unknown> = [
  (value) => ({ toString: () => value }),
  (value) => ({ [Symbol.toPrimitive]: () => value }),
  // A text in an object is what this one is about.
  (value) => Object(value) as unknown,
  (value) => [value],
  (value) => Buffer.from(value),
  (value) => new Proxy(Object(value) as object, {}),
  (value) =>
    Object.assign(Object.create(null) as object, Array.from(value), { length: value.length }),
  () => 0,
  () => 64n,
  () => true,
  () => Symbol(prefix),
  () => ({}),
  () => () => prefix,
  (value) => Promise.resolve(value),
  () => Object.create(null) as unknown,
  () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error("hostile");
        },
      },
    ),
];

/** The values of a signature header in place of the one that is right. */
export function mutateSignature(value: string, random: Random): readonly unknown[] {
  const text = (): string => random.pick(textMutations)(value, random);
  const chance = random.below(20);
  if (chance === 0) return [];
  if (chance === 1) return [value, value];
  if (chance === 2) return [text(), value];
  if (chance === 3) return [value, text()];
  if (chance === 4) return [value, random.pick(otherTypes)(value)];
  if (chance < 8) return [random.pick(otherTypes)(value)];
  if (chance === 8) return [random.pick(textMutations)(text(), random)];
  return [text()];
}
