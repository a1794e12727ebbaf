import { randomUUID } from "node:crypto";

import { BytesRecorder, TextRecorder } from "./content-recorder.ts";
import type { Marker } from "./exchange.ts";

/** Length from which a text in JSON is replaced while it streams, in bytes. */
const maxTextBytes = 4_096;

const maxJsonBytes = 1_048_576;

export interface RecordedJson {
  readonly json: unknown;
  /** Returns the marker of a text, or undefined for a text of the body. */
  readonly markerOf: (text: string) => Marker | undefined;
}

/**
 * Records a body while it streams, in bounded memory: JSON with long texts replaced by markers, an image by its hash, and
 * other content by its length.
 */
export class BodyRecorder {
  bytes = 0;
  readonly #kind: "json" | "image" | "html" | "plain" | "other";
  readonly #image = new BytesRecorder();
  /** Start of texts that represent markers. No body can contain it. */
  readonly #nonce = randomUUID();
  #json = "";
  /** Current text of the JSON so far, without its quotes. */
  #text: string | undefined;
  #long: TextRecorder | undefined;
  #isEscaped = false;

  constructor(contentType: string | null | undefined) {
    const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (type.startsWith("image/")) this.#kind = "image";
    else if (type === "text/html") this.#kind = "html";
    else if (type === "text/plain") this.#kind = "plain";
    // A request without a type can be JSON too.
    else this.#kind = type === "" || /[/+]json$/.test(type) ? "json" : "other";
  }

  /** @param times - Number of times that the chunk follows itself, which only JSON may have. */
  write(chunk: Uint8Array, times = 1): void {
    this.bytes += chunk.length * times;
    if (this.#kind === "image") this.#image.write(chunk);
    if (this.#kind !== "json" || this.#json.length > maxJsonBytes) return;
    // Latin-1 keeps each byte, so that a character can be cut.
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
    for (let time = 0; time < times; time += 1) {
      for (let from = 0; from < text.length;) {
        from =
          this.#text === undefined ? this.#readOutside(text, from) : this.#readInside(text, from);
      }
    }
  }

  /** Returns the JSON, a marker for other content, or undefined without a body. */
  end(): RecordedJson | Marker | undefined {
    const { bytes } = this;
    if (bytes === 0) return undefined;
    if (this.#kind === "image") return this.#image.end();
    if (this.#kind !== "json" || this.#json.length > maxJsonBytes)
      return { kind: this.#kind, bytes };
    try {
      const json: unknown = JSON.parse(Buffer.from(this.#json, "latin1").toString());
      return { json, markerOf: (text) => this.#markerOf(text) };
    } catch {
      return { kind: "invalid-json", bytes };
    }
  }

  #markerOf(text: string): Marker | undefined {
    if (!text.startsWith(this.#nonce)) return undefined;
    // Written by `#endText`.
    return JSON.parse(
      Buffer.from(text.slice(this.#nonce.length), "base64url").toString(),
    ) as Marker;
  }

  /** Reads up to a quote, and returns the index behind it. */
  #readOutside(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    const end = quote < 0 ? text.length : quote + 1;
    this.#json += text.slice(from, end);
    if (quote >= 0) this.#text = "";
    return end;
  }

  /** Reads the rest of a text in quotes, or as much as there is, and returns the index behind it. */
  #readInside(text: string, from: number): number {
    let at = from;
    for (;;) {
      if (this.#isEscaped && at < text.length) {
        this.#isEscaped = false;
        at += 1;
      }
      // Texts rarely have escapes, and images have none.
      const found = /["\\]/g;
      found.lastIndex = at;
      const { index = text.length } = found.exec(text) ?? {};
      if (text[index] === "\\") {
        this.#isEscaped = true;
        at = index + 1;
        continue;
      }
      this.#addText(text.slice(from, index));
      if (index === text.length) return index;
      this.#endText();
      return index + 1;
    }
  }

  #addText(part: string): void {
    if (this.#long) return this.#long.write(part);
    this.#text = `${this.#text}${part}`;
    if (this.#text.length <= maxTextBytes) return;
    this.#long = new TextRecorder();
    this.#long.write(this.#text);
    this.#text = "";
  }

  #endText(): void {
    const text = this.#long
      ? `${this.#nonce}${Buffer.from(JSON.stringify(this.#long.end())).toString("base64url")}`
      : this.#text;
    this.#json += `${text}"`;
    this.#text = undefined;
    this.#long = undefined;
  }
}
