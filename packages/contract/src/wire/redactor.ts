const knownKinds = /(svc_live_|svc_test_|whsec_|spt_)[\w-]+/g;

/** Minimum length of a secret. A shorter one would also match ordinary words. */
const minLength = 8;

/**
 * Removes the keys and secrets of a run from text that leaves the kit: as they are, percent-encoded, in hex, and in
 * base64 at any position of a longer text.
 */
export class Redactor {
  readonly #secrets: { readonly secret: string; readonly forms: RegExp }[] = [];

  constructor(...secrets: readonly (string | undefined)[]) {
    this.add(...secrets);
  }

  add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of new Set(secrets)) {
      if (secret === undefined || secret.length < minLength) continue;
      this.#secrets.push({ secret, forms: formsOf(secret) });
    }
    // One secret can be the beginning of another.
    this.#secrets.sort((one, other) => other.secret.length - one.secret.length);
  }

  redact(text: string): string {
    let redacted = text;
    for (const { secret, forms } of this.#secrets) {
      redacted = redacted.replaceAll(forms, (_found, readable?: string) =>
        readable === undefined ? "…" : secret.replace(/^(svc_live_|svc_test_|whsec_|).*$/s, "$1…"),
      );
    }
    return redacted.replaceAll(knownKinds, "$1…");
  }

  /** Removes secrets from the beginning of a long text, and cuts off the rest without leaving a part of a secret. */
  redactStart(text: string, maxLength: number): string {
    // The longest form is percent-encoded.
    const margin = 3 * Math.max(0, ...this.#secrets.map(({ secret }) => Buffer.byteLength(secret)));
    const start = this.redact(text.slice(0, maxLength + margin));
    return text.length <= maxLength ? start : `${start.slice(0, start.length - margin)}…`;
  }

  redactError(error: unknown): unknown {
    for (let at = error; at instanceof Error; at = at.cause) {
      for (const name of ["message", "stack"] as const) {
        const text = at[name] ?? "";
        const value = this.redact(text);
        // Some errors only have getters.
        if (value !== text) Object.defineProperty(at, name, { value, configurable: true });
      }
    }
    return error;
  }
}

/** Matches a secret in each of its forms. The first group is the form that people can read. */
function formsOf(secret: string): RegExp {
  const readable = Array.from(secret, (character) => {
    const percent = Array.from(Buffer.from(character), (byte) => `%${inHex(byte)}`);
    return `(?:${character.replace(/[^\w-]/gu, String.raw`\$&`)}|${percent.join("")})`;
  });
  const bytes = Buffer.from(secret);
  const hex = Array.from(bytes, inHex);
  return new RegExp(`(${readable.join("")})|${hex.join("")}|${inBase64(bytes).join("|")}`, "g");
}

function inHex(byte: number): string {
  const digits = byte.toString(16).padStart(2, "0");
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** The base64 and base64url of bytes, for each of the three positions that they can have in a longer text. */
function inBase64(bytes: Buffer): readonly string[] {
  const neighbor = "[A-Za-z0-9+/_-]?";
  return [0, 1, 2].map((offset) => {
    const bits = 8 * (offset + bytes.length);
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // Characters at the ends can also hold bits of the text around the secret.
    const inside = text.slice(Math.ceil((8 * offset) / 6), Math.floor(bits / 6));
    const either = inside.replaceAll("+", "[+-]").replaceAll("/", "[/_]");
    return `${offset === 0 ? "" : neighbor}${either}${bits % 6 === 0 ? "" : neighbor}`;
  });
}
