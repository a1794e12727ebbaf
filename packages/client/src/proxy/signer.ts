const signatureLength = 32;

/** Binds ids and keys to a user by HMAC-SHA-256, with a secret that stays in the proxy. */
export class Signer {
  readonly #secret: () => string;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** Derives the idempotency key for the service from a user's key. Two users never get the same key. */
  idempotencyKey(userId: string, key: string): Promise<string> {
    return this.#sign("idempotency-key", userId, key);
  }

  /** Returns a text by which pages can compare API keys, and which does not reveal them. */
  async keyTag(key: string): Promise<string> {
    return (await this.#sign("api-key", key)).slice(0, signatureLength);
  }

  async userTag(userId: string): Promise<string> {
    return (await this.#sign("user", userId)).slice(0, signatureLength);
  }

  /**
   * Signs an id for a user, in the format of the service's own ids. A list cursor is the id of a job, possibly of another
   * user, so its signature is valid only for a cursor.
   */
  async signId(kind: "job" | "cursor", userId: string, id: string): Promise<string> {
    return id + (await this.#sign(kind, userId, id)).slice(0, signatureLength);
  }

  async verifyId(kind: "job" | "cursor", userId: string, signed: string) {
    const id = signed.slice(0, -signatureLength);
    const expected = await this.signId(kind, userId, id);
    // Takes the same time for each id, since the time could reveal a signature.
    let difference = expected.length ^ signed.length;
    for (let at = 0; at < expected.length; at += 1)
      difference |= expected.charCodeAt(at) ^ signed.charCodeAt(at);
    return difference === 0 ? id : undefined;
  }

  async #sign(...parts: readonly string[]): Promise<string> {
    const encoder = new TextEncoder();
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const secret = encoder.encode(this.#secret());
    this.#key ??= crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
    // JSON gives each list of strings different bytes, even with lone surrogates, which UTF-8 cannot encode.
    const bytes = encoder.encode(JSON.stringify(parts));
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, bytes));
    return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
