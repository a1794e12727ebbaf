/** Number of bytes that are read at once. React Native reads a blob as base64. */
const chunkSize = 3 * 2 ** 17;

/** The `Blob` of React Native, whose bytes only a `FileReader` reads. */
export type NativeBlob = Pick<Blob, "size" | "slice">;

export function isNativeBlob(value: unknown): value is NativeBlob {
  const { size, slice } = Object(value) as Partial<NativeBlob>;
  return typeof size === "number" && typeof slice === "function";
}

function read<Result>(blob: NativeBlob, method: "readAsArrayBuffer" | "readAsText") {
  return new Promise<Result>((resolve, reject) => {
    const reader = new FileReader();
    // The method determines the type of the result.
    reader.addEventListener("load", () => resolve(reader.result as Result));
    reader.addEventListener("error", () => reject(new Error("The blob could not be read.")));
    reader[method](blob as Blob);
  });
}

export function readText(blob: NativeBlob): Promise<string> {
  return read<string>(blob, "readAsText");
}

/** Body of a blob that is opened with the first read, with what the client uses of a stream. */
export class BlobBody {
  readonly #open: () => Promise<NativeBlob>;
  #opening: Promise<NativeBlob> | undefined;
  #at = 0;

  constructor(open: () => Promise<NativeBlob>) {
    this.#open = open;
  }

  getReader(): this {
    return this;
  }

  async read(): Promise<{ done: boolean; value?: Uint8Array }> {
    const blob = await (this.#opening ??= this.#open());
    const start = this.#at;
    if (start >= blob.size) return { done: true };
    this.#at = Math.min(start + chunkSize, blob.size);
    const bytes = await read<ArrayBuffer>(blob.slice(start, this.#at), "readAsArrayBuffer");
    return { done: false, value: new Uint8Array(bytes) };
  }

  async cancel(): Promise<void> {
    this.#at = Infinity;
  }
}
