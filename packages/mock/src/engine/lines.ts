/** A point of a drawing, in its own units. */
export type Point = readonly [x: number, y: number];

/** One side of an outline, and which parts of rows it crosses the middle of. */
interface Line {
  readonly a: Point;
  readonly b: Point;
  readonly begin: number;
  readonly end: number;
}

const nowhere: Line = { a: [0, 0], b: [0, 0], begin: 0, end: 0 };

/**
 * The sides of a closed outline, asked from top to bottom. Only those that reach the present part are looked at: an
 * outline has some fifty, of which two or three do.
 */
export class Lines {
  readonly top: number;
  readonly bottom: number;
  readonly #partsPerUnit: number;
  /** Those that are still to come, the next one last. */
  readonly #coming: Line[];
  #nextBegin: number;
  readonly #current: Line[] = [];
  /** One list for all answers, so that none has to be made anew. */
  readonly #crossings: number[] = [];

  constructor(points: readonly Point[], partsPerUnit: number) {
    this.#partsPerUnit = partsPerUnit;
    let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const lines: Line[] = [];
    let a = points.at(-1);
    for (const b of points) {
      top = Math.min(top, b[1]);
      bottom = Math.max(bottom, b[1]);
      if (a !== undefined) {
        const begin = this.#partBelow(Math.min(a[1], b[1]));
        const end = this.#partBelow(Math.max(a[1], b[1]));
        if (begin < end) lines.push({ a, b, begin, end });
      }
      a = b;
    }
    this.top = top;
    this.bottom = bottom;
    this.#coming = lines.toSorted((one, other) => other.begin - one.begin);
    this.#nextBegin = this.#coming.at(-1)?.begin ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Where the outline crosses the middle of a part, from left to right. Parts are asked for in rising order, and each
   * answer holds only until the next.
   */
  crossings(part: number): readonly number[] {
    if (part >= this.#nextBegin) this.#comeUpTo(part);
    const sorted = this.#crossings;
    const y = (part + 0.5) / this.#partsPerUnit;
    let count = 0;
    for (let line = 0; line < this.#current.length; line += 1) {
      const { a, b, end } = this.#current[line] ?? nowhere;
      if (end <= part) {
        this.#current.splice(line, 1);
        line -= 1;
        continue;
      }
      const x = a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]);
      let index = count;
      for (; index > 0 && (sorted[index - 1] ?? x) > x; index -= 1) {
        sorted[index] = sorted[index - 1] ?? x;
      }
      sorted[index] = x;
      count += 1;
    }
    if (sorted.length !== count) sorted.length = count;
    return sorted;
  }

  #comeUpTo(part: number): void {
    while (part >= this.#nextBegin) {
      const line = this.#coming.pop();
      if (line !== undefined) this.#current.push(line);
      this.#nextBegin = this.#coming.at(-1)?.begin ?? Number.POSITIVE_INFINITY;
    }
  }

  /** The first part whose middle is at this height or below it. */
  #partBelow(y: number): number {
    return Math.ceil(y * this.#partsPerUnit - 0.5);
  }
}
