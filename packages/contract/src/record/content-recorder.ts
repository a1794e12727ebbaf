import { createHash } from "node:crypto";

import type { ImageKind, Marker } from "./exchange.ts";

/** First bytes of the kinds of images, as patterns of Latin-1. */
const kinds: ReadonlyArray<readonly [ImageKind, RegExp]> = [
  ["png", /^\u0089PNG\r\n/],
  ["jpeg", /^\u00FF\u00D8\u00FF/],
  ["webp", /^RIFF....WEBP/s],
  ["gif", /^GIF8/],
  ["heic", /^....ftyp(?:heic|heix|mif1|msf1|avif)/s],
];

export class BytesRecorder {
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #head = "";

  write(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    if (this.#head.length < 16) this.#head += Buffer.from(chunk.subarray(0, 16)).toString("latin1");
  }

  end(): Marker {
    const kind = kinds.find(([, start]) => start.test(this.#head))?.[0] ?? "bytes";
    return { kind, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

/** Reused, because a buffer for each part of a large text would fill the memory until a garbage collection. */
const decoded = Buffer.alloc(2 ** 16);

/** Records a long text while it streams, as the bytes that it has in base64, or else by its length. */
export class TextRecorder {
  readonly #decoded = new BytesRecorder();
  #characters = 0;
  #rest = "";
  #isBase64 = true;
  #isStart = true;

  /** @param raw - Text in Latin-1, so that it can be cut anywhere. Some encoders write a slash as `\/`. */
  write(raw: string): void {
    const part = raw.replaceAll("\\", "");
    // Without the later bytes of each character.
    this.#characters += part.replaceAll(/[\u0080-\u00BF]/g, "").length;
    if (!this.#isBase64) return;
    let text = `${this.#rest}${part}`;
    if (this.#isStart) {
      // Long enough for `data:image/jpeg;base64,`.
      if (text.length < 64) {
        this.#rest = text;
        return;
      }
      this.#isStart = false;
      text = text.replace(/^data:[\w./+-]{0,40};base64,/, "");
    }
    this.#decode(text, Math.floor(text.length / 4) * 4);
  }

  end(): Marker {
    if (this.#isStart) this.#rest = this.#rest.replace(/^data:[\w./+-]{0,40};base64,/, "");
    this.#decode(this.#rest, this.#rest.length);
    return this.#isBase64 ? this.#decoded.end() : { kind: "text", characters: this.#characters };
  }

  #decode(text: string, length: number): void {
    const part = text.slice(0, length);
    this.#isBase64 &&= /^[\w+/-]*={0,2}$/.test(part);
    this.#decoded.write(
      part.length > decoded.length
        ? Buffer.from(part, "base64")
        : decoded.subarray(0, decoded.write(part, "base64")),
    );
    this.#rest = text.slice(length);
  }
}

export function recordText(text: string): Marker {
  const recorder = new TextRecorder();
  recorder.write(Buffer.from(text).toString("latin1"));
  return recorder.end();
}
