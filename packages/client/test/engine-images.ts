import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import sharp from "sharp";

import type { Engine, Page } from "@tryon/test-kit/browsers";
import { root } from "@tryon/test-kit/repository";
import type * as Client from "../src/index.ts";
import type * as Images from "../src/session/index.ts";
import { encode } from "./encoders.ts";
import { exif, quarterColors, quarters, segment, withChunks, withSegments } from "./photos.ts";
import { colorsOf } from "./prepare-suite.ts";

/** In the page, where callbacks of `page.evaluate` run. */
declare const client: typeof Client;
declare const prepareImage: typeof Images.prepareImage;

type Color = readonly number[];

interface EngineImage {
  readonly create: () => Promise<Buffer>;
  /** Colors of the quarters when it is prepared. If undefined, nothing defines them. */
  readonly colors: readonly Color[] | undefined;
  /** Maximum difference of a color. Tone mapping may darken HDR. */
  readonly tolerance: number;
}

const upright = async () => sharp(await quarters(1));
const turned = async () => sharp(await (await upright()).rotate(270).png().toBuffer());
const png = async () => (await upright()).png().toBuffer();
const privateTags = "-GPSLatitude=48.85 -GPSLatitudeRef=N -Artist=Ada -SerialNumber=12";
const withTags = (bytes: Buffer, extension: string) =>
  encode(bytes, `exiftool -q -overwrite_original -n -Orientation=6 ${privateTags} in.${extension}`);
const profiled = async () => sharp(await png()).withIccProfile("p3");
/** Creates a PNG of Display P3 that does not say so. */
const inP3 = async () =>
  sharp(await (await profiled()).png().toBuffer(), { ignoreIcc: true })
    .png()
    .toBuffer();
const solid = (color: Color) => {
  const [r = 0, g = 0, b = 0] = color;
  const background = { r, g, b };
  return sharp({ create: { width: 640, height: 560, channels: 3, background } });
};
const gray = async (value: number) => solid([value, value, value]).png().toBuffer();
const chunked = async (image: Promise<Buffer>, type: string, content: readonly number[]) =>
  withChunks(await image, { [type]: Uint8Array.from(content) });
const paper = [70, 150, 80];
const p3 = [12, 13, 0, 1];
const pq = [9, 16, 0, 1];

const image = (
  create: EngineImage["create"],
  colors: readonly Color[] | undefined = quarterColors,
  tolerance = 24,
): EngineImage => ({ create, colors, tolerance });
const all = (color: Color) => [color, color, color, color];

/** Images by format and feature, for the table of the guide. */
const engineImages = {
  "JPEG with EXIF orientation": image(async () =>
    withTags(await (await turned()).jpeg().toBuffer(), "jpg"),
  ),
  "PNG with EXIF orientation": image(async () =>
    withTags(await (await turned()).png().toBuffer(), "png"),
  ),
  "WebP with EXIF orientation": image(async () =>
    withTags(await (await turned()).webp().toBuffer(), "webp"),
  ),
  "AVIF with a rotation (`irot`)": image(async () =>
    encode(await (await upright()).rotate(90).png().toBuffer(), "avifenc --irot 1 in.png out.avif"),
  ),
  "AVIF with a mirror (`imir`)": image(async () =>
    encode(await (await upright()).flop().png().toBuffer(), "avifenc --imir 1 in.png out.avif"),
  ),
  "JPEG XL with an orientation": image(async () => {
    const jpeg = await (await turned()).jpeg().toBuffer();
    return encode(withSegments(jpeg, segment(0xe1, exif(6))), "cjxl in.jpg out.jxl");
  }),
  "JPEG larger than the result, rotated": image(async () => {
    const pixels = (await turned()).resize(2_450, 2_800, { kernel: "nearest" });
    return withSegments(await pixels.jpeg().toBuffer(), segment(0xe1, exif(6)));
  }),
  "JPEG, Display P3 by profile": image(async () => (await profiled()).jpeg().toBuffer()),
  "PNG, Display P3 by profile": image(async () => (await profiled()).png().toBuffer()),
  "WebP, Display P3 by profile": image(async () => (await profiled()).webp().toBuffer()),
  "AVIF, Display P3 by profile": image(async () => (await profiled()).avif().toBuffer()),
  "PNG, Display P3 by `cICP`": image(() => chunked(inP3(), "cICP", p3)),
  "AVIF, Display P3 by `nclx`": image(async () =>
    encode(await inP3(), "avifenc --cicp 12/13/6 in.png out.avif"),
  ),
  "PNG with `gAMA`": image(
    () => chunked(gray(128), "gAMA", [0, 1, 0x86, 0xa0]),
    all([188, 188, 188]),
  ),
  "PNG, HDR (PQ)": image(() => chunked(gray(148), "cICP", pq), all([220, 220, 220]), 40),
  "AVIF, HDR (PQ)": image(
    async () => encode(await gray(148), "avifenc -d 10 --cicp 9/16/9 in.png out.avif"),
    all([220, 220, 220]),
    40,
  ),
  "JPEG, CMYK with a profile": image(
    () => solid(paper).toColourspace("cmyk").withIccProfile("cmyk").jpeg().toBuffer(),
    all(paper),
  ),
  "JPEG, CMYK without a profile": image(
    () => solid(paper).toColourspace("cmyk").jpeg().toBuffer(),
    undefined,
  ),
  GIF: image(async () => (await upright()).gif().toBuffer()),
  BMP: image(async () => encode(await png(), "convert in.png BMP3:out.bmp")),
  "JPEG XL": image(async () => encode(await png(), "cjxl in.png out.jxl")),
  HEIC: image(async () => encode(await png(), "heif-enc in.png -o out.heic")),
  "AVIF of tiles": image(
    async () => encode(await gray(128), "avifenc -g 2x2 in.png in.png in.png in.png out.avif"),
    all([128, 128, 128]),
  ),
  "AVIF with a crop (`clap`), shown without it": image(async () =>
    encode(await png(), "avifenc --clap 400,1,300,1,0,1,0,1 in.png out.avif"),
  ),
} as const satisfies Readonly<Record<string, EngineImage>>;

export type Title = keyof typeof engineImages;

interface PreparedImage<Name extends string = string> {
  readonly name: Name;
  /** If undefined, it was refused. */
  readonly bytes: Buffer | undefined;
  readonly type: string;
  /** Codes of the warnings of `validate`, or the message of the error. */
  readonly text: string;
}

/** Creates images, all of them by default. */
export async function createImages(
  titles: readonly Title[] = Object.keys(engineImages) as Title[],
): Promise<ReadonlyMap<Title, Buffer>> {
  const created = titles.map(async (title) => [title, await engineImages[title].create()] as const);
  return new Map(await Promise.all(created));
}

/** Prepares images in a page, each with options. */
export async function prepareInPage<Name extends string>(
  page: Page,
  images: Iterable<readonly [Name, Buffer, Images.PrepareImageOptions?]>,
): Promise<readonly PreparedImage<Name>[]> {
  const contents = Array.from(images, ([name, bytes, options = {}]) => {
    return [name, bytes.toString("base64"), options] as const;
  });
  const prepared = await page.evaluate(async (given) => {
    const tryon = new client.TryOn({ apiKey: "tok_test_engines" });
    const results = [];
    for (const [, base64, options] of given) {
      const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
      try {
        const person = await prepareImage(bytes, options);
        const garments = ["https://shop.example/shirt.png"] as const;
        const issues = await tryon.validate({ person, garments });
        let content = "";
        for (const unit of new Uint8Array(await person.arrayBuffer())) {
          content += String.fromCharCode(unit);
        }
        const text = issues.map(({ code }) => code).join(", ");
        results.push({ base64: btoa(content), type: person.type, text });
      } catch (error) {
        const text = client.isTryOnError(error) ? error.message : String(error);
        results.push({ type: "", text });
      }
    }
    return results;
  }, contents);
  return contents.map(([name], index) => {
    const { base64, type = "", text = "" } = prepared[index] ?? {};
    return { name, type, text, bytes: base64 ? Buffer.from(base64, "base64") : undefined };
  });
}

/** Returns the cell of a table: "✓", "–" if it was refused, the warnings that are kept, or the colors that are wrong. */
export async function cellOf({ name, bytes, type, text }: PreparedImage<Title>): Promise<string> {
  if (!bytes) return "–";
  const { colors, tolerance }: EngineImage = engineImages[name];
  const found = (await colorsOf(new Blob([new Uint8Array(bytes)], { type }))).flat();
  const differences = colors?.flat().map((value, at) => Math.abs(value - (found[at] ?? 0)));
  const isRight = differences && Math.max(...differences) < tolerance;
  if (text === "") return isRight ? "✓" : `wrong: ${found.join(" ")}`;
  if (isRight) return `right, but ${text}`;
  return text
    .split(", ")
    .map((code) => `\`${code}\``)
    .join(", ");
}

/** Cells of each engine, by image. */
type EngineTable = ReadonlyMap<string, Readonly<Partial<Record<Engine, string>>>>;

const guide = join(root, "docs/guides/images.md");
const columns = ["chromium", "firefox", "webkit"] as const satisfies readonly Engine[];
const heading = ["in a page", "Chromium", "Firefox", "WebKitGTK"];
const inGuide = /\n\nFound with [^|]+(\| in a page[^]+?\n)\n/;

/** Returns the table of the guide. */
export async function readEngineTable(): Promise<EngineTable> {
  const [, table = ""] = inGuide.exec(await readFile(guide, "utf8")) ?? [];
  const rows = table.split("\n").slice(2, -1);
  return new Map(
    rows.map((row) => {
      const [name = "", ...cells] = row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [name, Object.fromEntries(columns.map((engine, at) => [engine, cells[at] ?? ""]))];
    }),
  );
}

/** Writes the table of the guide, with the versions of the engines and the date. */
export async function writeEngineTable(
  table: EngineTable,
  versions: Readonly<Partial<Record<Engine, string>>>,
): Promise<void> {
  const rows = [...table].map(([name, cells]) => [
    name,
    ...columns.map((engine) => cells[engine] ?? ""),
  ]);
  const widths = heading.map((_title, at) =>
    Math.max(...[heading, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  const lines = [heading, widths.map((width) => "-".repeat(width)), ...rows].map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |\n`,
  );
  const names = columns.map((engine, at) => `${heading[at + 1]} ${versions[engine]}`);
  const found = `Found with ${names.slice(0, 2).join(", ")} and ${names[2]} on ${new Date().toISOString().slice(0, 10)}:`;
  const page = await readFile(guide, "utf8");
  await writeFile(
    guide,
    page.replace(inGuide, () => `\n\n${found}\n\n${lines.join("")}\n`),
  );
}
