import { equalBytes } from "../verification/equal-bytes.ts";
import type { CauseFinding } from "./cause.ts";
import type { Target } from "./signature-reading.ts";

/** A key that may have signed, and what is wrong with the secret if it did. */
export class SigningKey {
  readonly key: string | Uint8Array<ArrayBuffer>;
  readonly troubles: readonly CauseFinding[];
  /** Which secret it was made of, where there are several. */
  readonly place: string | undefined;
  readonly #imported = new Map<Target["hash"], Promise<CryptoKey>>();

  constructor(
    key: string | Uint8Array<ArrayBuffer>,
    place: string | undefined,
    troubles: readonly CauseFinding[] = [],
  ) {
    this.key = key;
    this.place = place;
    this.troubles = troubles;
  }

  /** Whether a digest is the one that this key makes of a body; it leaves this method in no other form. */
  async signed(bytes: Uint8Array<ArrayBuffer>, { hash, digest }: Target): Promise<boolean> {
    const subtle = cryptoOfRuntime();
    let imported = this.#imported.get(hash);
    if (imported === undefined) {
      const raw = typeof this.key === "string" ? new TextEncoder().encode(this.key) : this.key;
      imported = subtle.importKey("raw", raw, { name: "HMAC", hash }, false, ["sign"]);
      this.#imported.set(hash, imported);
    }
    const made = new Uint8Array(await subtle.sign("HMAC", await imported, bytes));
    return equalBytes(made, digest);
  }
}

function cryptoOfRuntime(): SubtleCrypto {
  // Typed as always there, but missing on pages without https and in jsdom.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle !== undefined) return subtle;
  throw new Error(
    "crypto.subtle is missing. Use Node 20 or later, https, or a test environment other than jsdom.",
  );
}
