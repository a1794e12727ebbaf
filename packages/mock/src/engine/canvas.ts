/** A point of a drawing, in its own units. */
export type Point = readonly [x: number, y: number];

/** How many parts of a pixel's height are looked at to smooth an edge. */
const rowsPerPixel = 4;

/** The cover of a whole pixel. */
const full = 256;

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
    const ys = points.map(([, y]) => y);
    const from = Math.max(0, Math.floor(Math.min(...ys)));
    const to = Math.min(this.height - 1, Math.ceil(Math.max(...ys)));
    for (let row = from; row <= to; row += 1) this.#fillRow(points, row, colour);
  }

  #fillRow(points: readonly Point[], row: number, colour: number): void {
    let least = this.width;
    let most = -1;
    // What lies within the first span of every part is covered as a whole and needs no sum.
    let innerFrom = 0;
    let innerTo = this.width;
    for (let part = 0; part < rowsPerPixel; part += 1) {
      const crossings = crossingsAt(points, row + (part + 0.5) / rowsPerPixel);
      if (crossings.length !== 2) innerTo = 0;
      for (let index = 0; index + 1 < crossings.length; index += 2) {
        const left = Math.max(0, crossings[index] ?? 0);
        const right = Math.min(this.width, crossings[index + 1] ?? 0);
        if (right <= left) {
          innerTo = 0;
          continue;
        }
        const first = Math.floor(left);
        const last = Math.ceil(right) - 1;
        this.#cover(first, last, left, right);
        innerFrom = Math.max(innerFrom, first + 1);
        innerTo = Math.min(innerTo, last);
        least = Math.min(least, first);
        most = Math.max(most, last);
      }
    }
    if (innerFrom >= innerTo) return this.#blendRun(row, least, most, colour);
    // The last span to begin is counted in with the pixel that it begins to cover as a whole.
    this.#blendRun(row, least, innerFrom, colour);
    const start = row * this.width;
    this.pixels.fill(this.#number(colour), start + innerFrom + 1, start + innerTo);
    this.#blendRun(row, innerTo, most, colour);
  }

  /** Notes that a part of a row is covered from `left` to `right`, whose pixels are `first` to `last`. */
  #cover(first: number, last: number, left: number, right: number): void {
    const weight = full / rowsPerPixel;
    if (first === last) return this.#add(this.#edges, first, (right - left) * weight);
    this.#add(this.#edges, first, (first + 1 - left) * weight);
    this.#add(this.#edges, last, (right - last) * weight);
    this.#add(this.#changes, first + 1, weight);
    this.#add(this.#changes, last, -weight);
  }

  #add(sums: Int32Array, x: number, amount: number): void {
    sums[x] = (sums[x] ?? 0) + Math.round(amount);
  }

  /** Mixes the colour in from one pixel of a row to another, and forgets what was noted there. */
  #blendRun(row: number, from: number, to: number, colour: number): void {
    for (let x = from; x <= to; x += 1) {
      this.#within += this.#changes[x] ?? 0;
      const covered = this.#within + (this.#edges[x] ?? 0);
      this.#changes[x] = 0;
      this.#edges[x] = 0;
      if (covered > 0) this.#blend(row * this.width + x, colour, covered / full);
    }
  }

  #blend(index: number, colour: number, share: number): void {
    const steps = Math.round(share * 4);
    if (steps === 0) return;
    const below = this.palette[this.pixels[index] ?? 0] ?? 0;
    this.pixels[index] = this.#number(steps >= 4 ? colour : mix(below, colour, steps / 4));
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

function crossingsAt(points: readonly Point[], y: number): number[] {
  const crossings: number[] = [];
  let previous = points.at(-1);
  for (const point of points) {
    if (previous !== undefined && previous[1] <= y !== point[1] <= y) {
      const share = (y - previous[1]) / (point[1] - previous[1]);
      crossings.push(previous[0] + share * (point[0] - previous[0]));
    }
    previous = point;
  }
  return crossings.toSorted((a, b) => a - b);
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
