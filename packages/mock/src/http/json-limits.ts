import { limits } from "../service/catalogue.ts";

export interface JsonLimits {
  readonly names: number;
  readonly containers: number;
  readonly depth: number;
}

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, colon] = [code('"'), code("\\"), code(":")];
const [openArray, openObject] = [code("["), code("{")];
const [closeArray, closeObject] = [code("]"), code("}")];

/**
 * Checks a JSON text against limits in one pass, without parsing it. Stops at the first byte over a limit. A text that
 * is not JSON gets any result: `JSON.parse` rejects it.
 *
 * @returns the limit that the text exceeds, or undefined.
 */
export function exceededJsonLimit(
  bytes: Uint8Array,
  limit: JsonLimits,
): keyof JsonLimits | undefined {
  let [names, containers, depth] = [0, 0, 0];
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index] ?? 0) {
      case quote:
        index = endOfString(bytes, index);
        break;
      case colon:
        names += 1;
        if (names > limit.names) return "names";
        break;
      case openArray:
      case openObject:
        containers += 1;
        depth += 1;
        if (depth > limit.depth) return "depth";
        if (containers > limit.containers) return "containers";
        break;
      case closeArray:
      case closeObject:
        depth -= 1;
        break;
    }
  }
  return undefined;
}

/** Finds the quote that ends a string. Every byte of a character outside ASCII is above 127, so it is never a quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = start + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) return index;
    if (byte === backslash) index += 1;
  }
  return bytes.length;
}

const limitNames = {
  names: `${limits.json.names} property names`,
  containers: `${limits.json.containers} arrays and objects`,
  depth: `${limits.json.depth} nested arrays and objects`,
} as const;

export function jsonLimitProblem(bytes: Uint8Array): string | undefined {
  const exceeded = exceededJsonLimit(bytes, limits.json);
  return exceeded && `The body exceeds the limit of ${limitNames[exceeded]}; send fewer.`;
}
