const signature = "89504e470d0a1a0a";
const lastType = "49454e44";

/** Walks the chunks of a PNG as its bytes arrive, from the signature to the end of `IEND` (PNG specification, section 5). */
export class PngWalker {
  isInvalid = false;
  #header = "";
  #hasSignature = false;
  #isLast = false;
  #skip = 0;

  /** If true, the PNG is whole. Bytes after it are allowed. */
  get isComplete(): boolean {
    return this.#isLast && this.#skip === 0;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.isComplete && !this.isInvalid;) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (at === bytes.length) continue;
      this.#header += Number(bytes[at]).toString(16).padStart(2, "0");
      at += 1;
      this.isInvalid = !this.#hasSignature && !signature.startsWith(this.#header);
      if (this.#header.length < 16) continue;
      if (this.#hasSignature) {
        // After the data, a chunk has a checksum of 4 bytes.
        this.#skip = Number.parseInt(this.#header.slice(0, 8), 16) + 4;
        this.#isLast = this.#header.endsWith(lastType);
      }
      this.#hasSignature = true;
      this.#header = "";
    }
  }
}
