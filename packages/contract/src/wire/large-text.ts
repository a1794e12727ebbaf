import { randomUUID } from "node:crypto";

const partLength = 2 ** 15;
const startLength = 4_000;

/** Long text in parts. Equal parts share memory, also while they are sent. */
export class LargeText {
  readonly parts: readonly string[];

  constructor(...parts: readonly string[]) {
    this.parts = parts;
  }

  static repeat(character: string, length: number): LargeText {
    const part = character.repeat(partLength);
    const count = Math.floor(length / partLength);
    const rest = character.repeat(length % partLength);
    return new LargeText(...Array<string>(count).fill(part), rest);
  }

  /** Number of bytes. */
  get bytes(): number {
    return this.parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  }

  get start(): string {
    let start = "";
    for (const part of this.parts) {
      start += part;
      if (start.length >= startLength) break;
    }
    return start.slice(0, startLength);
  }

  /** Returns the bytes of parts, and how many times each follows itself. */
  *runs(): Generator<readonly [chunk: Uint8Array<ArrayBuffer>, times: number]> {
    for (let from = 0, to = 0; from < this.parts.length; from = to) {
      const { [from]: part = "" } = this.parts;
      while (to < this.parts.length && this.parts[to] === part) to += 1;
      if (part !== "") yield [new TextEncoder().encode(part), to - from];
    }
  }

  *#chunks(): Generator<Uint8Array<ArrayBuffer>> {
    for (const [chunk, times] of this.runs()) yield* Array<typeof chunk>(times).fill(chunk);
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const chunks = this.#chunks();
    return new ReadableStream({
      pull(controller) {
        const { value } = chunks.next();
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
    });
  }

  /** Text for messages. */
  toString(): string {
    return `${this.start.slice(0, 20)}… (${this.bytes} bytes)`;
  }
}

/** Writes JSON, in parts if a value is a large text. */
export function writeJson(value: unknown): string | LargeText {
  const mark = randomUUID();
  const large: LargeText[] = [];
  const json = JSON.stringify(value, (_name, part: unknown) => {
    if (!(part instanceof LargeText)) return part;
    large.push(part);
    return mark;
  });
  if (large.length === 0) return json;
  const between = json.split(mark);
  return new LargeText(...between.flatMap((text, index) => [text, ...(large[index]?.parts ?? [])]));
}
