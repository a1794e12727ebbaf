import { Lines, type Point } from "./lines.ts";

/** How many parts of a pixel's height are looked at to smooth an edge. */
const rowsPerPixel = 2;

/** The cover of a whole pixel. */
const full = 256;

/** In how many steps one colour goes over into another at an edge. */
const mixtures = 4;

/**
 * A picture of up to 256 flat colours. Edges are smoothed by mixing the two colours that meet; mixtures that do not
 * fit the palette any more fall to the nearer of the two.
 */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  readonly palette: number[] = [];
  readonly #scale: number;
  readonly #numbers = new Map<number, number>();
  /** How much of each pixel of the row is covered where a span begins or ends in it. */
  readonly #edges: Int32Array;
  /** By how much the cover of the pixels from here on differs from that of those before. */
  readonly #changes: Int32Array;
  #within = 0;
  /** The number of the colour that is being painted. */
  #paint = 0;
  /** Its mixtures with what is below, by the number of that colour and the step. */
  #mixed: number[] = [];

  /** @param units how many units of the drawing the width is. */
  constructor(width: number, height: number, units: number, background: number) {
    this.width = width;
    this.height = height;
    this.#scale = width / units;
    this.pixels = new Uint8Array(width * height);
    this.#edges = new Int32Array(width + 1);
    this.#changes = new Int32Array(width + 1);
    this.pixels.fill(this.#number(background));
  }

  /** Paints a closed outline; where it crosses itself, inside and outside alternate. */
  paint(outline: readonly Point[], colour: number): void {
    const points = outline.map(([x, y]): Point => [x * this.#scale, y * this.#scale]);
    const lines = new Lines(points, rowsPerPixel);
    this.#paint = this.#number(colour);
    this.#mixed = [];
    const from = Math.max(0, Math.floor(lines.top));
    const to = Math.min(this.height - 1, Math.ceil(lines.bottom));
    for (let row = from; row <= to; row += 1) this.#fillRow(lines, row, colour);
  }

  #fillRow(lines: Lines, row: number, colour: number): void {
    let least = this.width;
    let most = -1;
    // What lies within the first span of every part is covered as a whole and needs no sum.
    let innerFrom = 0;
    let innerTo = this.width;
    for (let part = 0; part < rowsPerPixel; part += 1) {
      const along = lines.crossings(row * rowsPerPixel + part);
      if (along.length !== 2) innerTo = 0;
      for (let index = 0; index + 1 < along.length; index += 2) {
        // Comparisons in place of calls: the first picture is drawn before any compiler has seen this.
        const before = along[index] ?? 0;
        const after = along[index + 1] ?? 0;
        const left = before > 0 ? before : 0;
        const right = after < this.width ? after : this.width;
        if (right <= left) {
          innerTo = 0;
          continue;
        }
        const first = Math.floor(left);
        const last = Math.ceil(right) - 1;
        this.#cover(first, last, left, right);
        if (first >= innerFrom) innerFrom = first + 1;
        if (last < innerTo) innerTo = last;
        if (first < least) least = first;
        if (last > most) most = last;
      }
    }
    if (innerFrom >= innerTo) return this.#blendRun(row, least, most, colour);
    // The last span to begin is counted in with the pixel that it begins to cover as a whole.
    this.#blendRun(row, least, innerFrom, colour);
    const start = row * this.width;
    this.pixels.fill(this.#paint, start + innerFrom + 1, start + innerTo);
    this.#blendRun(row, innerTo, most, colour);
  }

  /** Notes that a part of a row is covered from `left` to `right`, whose pixels are `first` to `last`. */
  #cover(first: number, last: number, left: number, right: number): void {
    const weight = full / rowsPerPixel;
    const edges = this.#edges;
    if (first === last) {
      edges[first] = (edges[first] ?? 0) + Math.round((right - left) * weight);
      return;
    }
    const changes = this.#changes;
    edges[first] = (edges[first] ?? 0) + Math.round((first + 1 - left) * weight);
    edges[last] = (edges[last] ?? 0) + Math.round((right - last) * weight);
    changes[first + 1] = (changes[first + 1] ?? 0) + weight;
    changes[last] = (changes[last] ?? 0) - weight;
  }

  /** Mixes the colour in from one pixel of a row to another, and forgets what was noted there. */
  #blendRun(row: number, from: number, to: number, colour: number): void {
    const [changes, edges] = [this.#changes, this.#edges];
    const start = row * this.width;
    let within = this.#within;
    for (let x = from; x <= to; x += 1) {
      const change = changes[x] ?? 0;
      const edge = edges[x] ?? 0;
      if (change === 0 && edge === 0 && within === full) {
        this.pixels[start + x] = this.#paint;
        continue;
      }
      within += change;
      changes[x] = 0;
      edges[x] = 0;
      const covered = within + edge;
      if (covered > 0) this.#blend(start + x, colour, covered);
    }
    this.#within = within;
  }

  #blend(index: number, colour: number, covered: number): void {
    const steps = Math.round((covered / full) * mixtures);
    if (steps === 0) return;
    if (steps >= mixtures) {
      this.pixels[index] = this.#paint;
      return;
    }
    const below = this.pixels[index] ?? 0;
    const place = below * mixtures + steps;
    // One outline meets the same few colours all along its edges.
    let mixed = this.#mixed[place];
    if (mixed === undefined) {
      mixed = this.#number(mix(this.palette[below] ?? 0, colour, steps / mixtures));
      this.#mixed[place] = mixed;
    }
    this.pixels[index] = mixed;
  }

  #number(colour: number): number {
    const known = this.#numbers.get(colour);
    if (known !== undefined) return known;
    if (this.palette.length === 256) return nearest(this.palette, colour);
    this.palette.push(colour);
    this.#numbers.set(colour, this.palette.length - 1);
    return this.palette.length - 1;
  }
}

/** Mixes two colours; `share` is how much of the second there is, 0 to 1. */
export function mix(a: number, b: number, share: number): number {
  const channel = (shift: number): number =>
    Math.round(((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share) << shift;
  return channel(16) | channel(8) | channel(0);
}

function nearest(palette: readonly number[], colour: number): number {
  const distance = (other: number): number =>
    [16, 8, 0].reduce(
      (sum, shift) => sum + Math.abs(((colour >> shift) & 255) - ((other >> shift) & 255)),
      0,
    );
  let best = 0;
  for (const [index, other] of palette.entries()) {
    if (distance(other) < distance(palette[best] ?? 0)) best = index;
  }
  return best;
}
