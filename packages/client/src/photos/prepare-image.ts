import { InputError, type InputIssueCode } from "@tryon/client";

import { unknownOption } from "../config/resolve-config.ts";
import { inputIssue } from "../errors/input-issue.ts";
import {
  keptWarnings,
  readImageHeader,
  truncation,
  type ColorWarning,
  type ImageHeader,
} from "../images/read-image-header.ts";

/** Image that `prepareImage` accepts: a `Blob`, a `File`, or bytes. In Node, `fs.openAsBlob` opens a file. */
export type PreparableImage = Blob | ArrayBuffer | Uint8Array;

/** Options of `prepareImage`. */
export interface PrepareImageOptions {
  /**
   * Maximum of the longer side in pixels, a whole number from 512 to 4,096. Smaller images keep their size.
   *
   * @default 2048
   */
  readonly maxSide?: number | undefined;
  /**
   * Format of the result. WebP keeps transparency, which JPEG replaces with white. Safari writes no WebP.
   *
   * @default "jpeg"
   */
  readonly format?: "jpeg" | "webp" | undefined;
}

export interface EncoderTarget {
  readonly header: ImageHeader;
  readonly maxSide: number;
  readonly type: "image/jpeg" | "image/webp";
  /** Keeps the warning of `validate` about colors that the decoder gets wrong. */
  readonly keepWarning: (code: ColorWarning) => void;
}

/** Decodes an image, turns it upright, shrinks it and encodes it without metadata. */
export type Encoder = (
  image: Blob,
  target: EncoderTarget,
  onUndecodable: (cause: unknown) => never,
) => Promise<Blob>;

const sides = { min: 512, max: 4_096, default: 2_048 };
const optionNames: Readonly<Record<keyof PrepareImageOptions, true>> = {
  maxSide: true,
  format: true,
};

export async function prepareWith(
  encodeImage: Encoder,
  file: PreparableImage,
  options: PrepareImageOptions = {},
): Promise<Blob> {
  const unknown = unknownOption("prepareImage", options, optionNames);
  if (unknown) throw new InputError(...unknown);
  const { maxSide = sides.default, format = "jpeg" } = options;
  if (!Number.isInteger(maxSide) || maxSide < sides.min || maxSide > sides.max) {
    const range = `a whole number from ${sides.min} to ${sides.max}`;
    throw new InputError("maxSide", `must be ${range}`, { bound: sides.max });
  }
  // JavaScript callers can pass anything.
  if (!["jpeg", "webp"].includes(format)) {
    throw new InputError("format", 'must be "jpeg" or "webp"');
  }
  const image = toBlob(file);
  const header = await checkFile(image);
  const kept: ColorWarning[] = [];
  const keepWarning = (code: ColorWarning) => void kept.push(code);
  const target = { header, maxSide, type: `image/${format}`, keepWarning } as const;
  const prepared = await encodeImage(image, target, (cause) => {
    const { format: kind = "", rareKind, isGrid, isCropped } = header;
    const isUsual = /^(JPEG|PNG|WebP|GIF)$/.test(kind) && rareKind === undefined;
    const hint = isUsual
      ? "It may be damaged: use another file."
      : "Send it as it is, or convert it to JPEG first.";
    const part = isGrid ? " made of tiles" : isCropped ? " with a crop (clap)" : "";
    // Some browsers refuse these. They refuse each HEIC, and most have tiles.
    const detail = kind === "AVIF" ? part : "";
    const problem = `is ${rareKind ?? kind + detail}, and it could not be decoded`;
    throw new InputError("file", problem, { hint, cause });
  });
  return Object.assign(prepared, { [keptWarnings]: kept });
}

function toBlob(file: unknown): Blob {
  // Tags work across realms, unlike `instanceof`. Each cast below is to the type of the tag.
  const tag = Object.prototype.toString.call(file).slice(8, -1);
  if (tag === "Blob" || tag === "File") return file as Blob;
  if (tag.endsWith("ArrayBuffer")) return toBlob(new Uint8Array(file as ArrayBuffer));
  if (ArrayBuffer.isView(file)) {
    const { buffer, byteOffset, byteLength } = file;
    // A `Blob` accepts no shared memory.
    return new Blob([new Uint8Array(buffer, byteOffset, byteLength).slice()]);
  }
  throw new InputError("file", "must be a Blob, a File, an ArrayBuffer or a Uint8Array", {
    hint: "Use fs.openAsBlob for a path, and (await fetch(url)).blob() for a URL.",
  });
}

function fail(code: InputIssueCode, value?: string): never {
  throw new InputError([inputIssue(code, "file", value)]);
}

async function checkFile(image: Blob): Promise<ImageHeader> {
  if (image.size === 0) fail("empty");
  const header = await readImageHeader(image).catch(() => fail("unreadable"));
  if (header.isTruncated) fail("truncated", truncation(header));
  return header.format ? header : fail("not_an_image", "in an unknown format");
}
