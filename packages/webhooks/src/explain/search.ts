import { bodyVariants } from "./body-variants.ts";
import type { CauseFinding } from "./cause.ts";
import { secretVariants } from "./secret-variants.ts";
import type { Target } from "./signature-reading.ts";
import { SigningKey } from "./signing-key.ts";

/** How much is tried for one delivery at most. */
export const mostTried = 20_000;
const mostHashedBytes = 268_435_456;

/** What is searched for, and among what. */
export interface SearchInput {
  readonly target: Target;
  readonly secrets: ReadonlyArray<string | undefined>;
  readonly otherSecrets: ReadonlyArray<string | undefined>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** No body is unpacked to more bytes than this. */
  readonly maxBodyBytes: number;
}

export interface SearchResult {
  /** What has to be undone for the signature to fit; empty where it fits as it is. */
  readonly troubles: readonly CauseFinding[] | undefined;
  readonly tried: number;
}

interface TriedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly troubles: readonly CauseFinding[];
}

/** How many troubles with secret and body at a time, the likely before the rest. */
const rounds = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
  [2, 0],
  [0, 2],
] as const;

/** Tries whether the signature fits once up to two troubles with secret and body are undone. */
export async function search(input: SearchInput): Promise<SearchResult> {
  const keys = signingKeys(input);
  let tried = 0;
  let hashed = 0;
  for (const [depthOfKey, depthOfBody] of rounds) {
    for await (const body of bodies(input, depthOfBody)) {
      for (const key of keys[depthOfKey]) {
        hashed += body.bytes.length;
        if (tried >= mostTried || hashed > mostHashedBytes) return { troubles: undefined, tried };
        tried += 1;
        if (await key.signed(body.bytes, input.target)) {
          return { troubles: [...key.troubles, ...body.troubles], tried };
        }
      }
    }
  }
  return { troubles: undefined, tried };
}

type Keys = readonly SigningKey[];

/** The keys with no trouble, with one and with two. */
function signingKeys({ secrets, otherSecrets }: SearchInput): readonly [Keys, Keys, Keys] {
  const given = named("secrets", secrets, []);
  const others = named("otherSecrets", otherSecrets, ["secret_of_other_key"]);
  const once = [...others, ...given.flatMap(withOneMore)];
  return [given, once, once.flatMap(withOneMore)];
}

function named(
  list: string,
  secrets: ReadonlyArray<string | undefined>,
  causes: ReadonlyArray<CauseFinding["cause"]>,
): Keys {
  const always = causes.length > 0;
  return secrets.flatMap((secret, at) => {
    // Of otherSecrets nobody has made sure that they are text.
    if (typeof secret !== "string" || secret.trim() === "") return [];
    const place = always || secrets.length > 1 ? `${list}[${at}]` : undefined;
    return [
      new SigningKey(
        secret,
        place,
        causes.map((cause) => ({ cause, detail: place })),
      ),
    ];
  });
}

function withOneMore({ key, place, troubles }: SigningKey): Keys {
  if (typeof key !== "string") return [];
  return secretVariants(key).map(({ cause, detail, key: other }) => {
    const where = [place, detail].filter((part) => part !== undefined).join(", ");
    const trouble = { cause, detail: where === "" ? undefined : where };
    return new SigningKey(other, place, [...troubles, trouble]);
  });
}

/** The bodies with just so many troubles, made one after the other: each may be large. */
async function* bodies(
  { bytes, maxBodyBytes }: SearchInput,
  depth: 0 | 1 | 2,
): AsyncGenerator<TriedBody> {
  if (depth === 0) {
    yield { bytes, troubles: [] };
    return;
  }
  for await (const { bytes: once, ...first } of bodyVariants(bytes, maxBodyBytes)) {
    if (depth === 1) {
      yield { bytes: once, troubles: [first] };
      continue;
    }
    for await (const { bytes: twice, ...second } of bodyVariants(once, maxBodyBytes)) {
      yield { bytes: twice, troubles: [first, second] };
    }
  }
}
