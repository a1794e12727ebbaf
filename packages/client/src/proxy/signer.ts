/** Of 64 hexadecimal digits, what a job id gets: 128 bits. */
const signatureLength = 32;

/** What an id that a visitor holds is good for. */
export type SignedId = "job" | "cursor";

/** Binds what visitors hold to the user who got it, by HMAC-SHA-256 under a secret that never leaves the proxy. */
export class Signer {
  readonly #secret: string;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The key that the service gets for a user's key: two users never have the same one. */
  idempotencyKey(userId: string, key: string): Promise<string> {
    return this.#sign("idempotency-key", userId, key);
  }

  /** What marks a user's jobs in the list: nobody who sees it learns the user. */
  async userMark(userId: string): Promise<string> {
    return (await this.#sign("user", userId)).slice(0, signatureLength);
  }

  /**
   * The id under which a user knows a job, in the form of the service's own ids. The cursor of a list is the id of a job,
   * too, maybe of another user's, and is signed as that alone.
   */
  async signId(kind: SignedId, userId: string, id: string): Promise<string> {
    const signature = await this.#sign(kind, userId, id);
    return `${id}${signature.slice(0, signatureLength)}`;
  }

  /** The service's id for an id that this user was given as one of this kind; nothing for any other. */
  async readId(kind: SignedId, userId: string, signed: string): Promise<string | undefined> {
    const id = signed.slice(0, -signatureLength);
    return isEqual(await this.signId(kind, userId, id), signed) ? id : undefined;
  }

  async #sign(...parts: readonly string[]): Promise<string> {
    const encoder = new TextEncoder();
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    this.#key ??= crypto.subtle.importKey("raw", encoder.encode(this.#secret), algorithm, false, [
      "sign",
    ]);
    // As JSON, so that no two lists of texts are the same bytes, not even of texts that UTF-8 cannot hold.
    const bytes = encoder.encode(JSON.stringify(parts));
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, bytes));
    return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

/** One step for each character, none of which depends on what the characters are. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1)
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
