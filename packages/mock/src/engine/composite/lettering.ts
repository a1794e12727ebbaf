/** Letters of 5 × 7 squares; each number is one row. */
const letters: Readonly<Record<string, readonly number[]>> = {
  A: [14, 17, 17, 31, 17, 17, 17],
  B: [30, 17, 17, 30, 17, 17, 30],
  C: [14, 17, 16, 16, 16, 17, 14],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  F: [31, 16, 16, 30, 16, 16, 16],
  G: [14, 17, 16, 23, 17, 17, 15],
  H: [17, 17, 17, 31, 17, 17, 17],
  I: [14, 4, 4, 4, 4, 4, 14],
  J: [7, 2, 2, 2, 2, 18, 12],
  K: [17, 18, 20, 24, 20, 18, 17],
  L: [16, 16, 16, 16, 16, 16, 31],
  M: [17, 27, 21, 21, 17, 17, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  O: [14, 17, 17, 17, 17, 17, 14],
  P: [30, 17, 17, 30, 16, 16, 16],
  Q: [14, 17, 17, 17, 21, 18, 13],
  R: [30, 17, 17, 30, 20, 18, 17],
  S: [15, 16, 16, 14, 1, 1, 30],
  T: [31, 4, 4, 4, 4, 4, 4],
  U: [17, 17, 17, 17, 17, 17, 14],
  V: [17, 17, 17, 17, 17, 10, 4],
  W: [17, 17, 17, 21, 21, 27, 17],
  X: [17, 17, 10, 4, 10, 17, 17],
  Y: [17, 17, 10, 4, 4, 4, 4],
  Z: [31, 1, 2, 4, 8, 16, 31],
  "0": [14, 17, 19, 21, 25, 17, 14],
  "1": [4, 12, 4, 4, 4, 4, 14],
  "2": [14, 17, 1, 6, 8, 16, 31],
  "3": [30, 1, 1, 14, 1, 1, 30],
  "4": [2, 6, 10, 18, 31, 2, 2],
  "5": [31, 16, 30, 1, 1, 17, 14],
  "6": [14, 16, 30, 17, 17, 17, 14],
  "7": [31, 1, 2, 4, 8, 8, 8],
  "8": [14, 17, 17, 14, 17, 17, 14],
  "9": [14, 17, 17, 15, 1, 1, 14],
  "-": [0, 0, 0, 31, 0, 0, 0],
  ".": [0, 0, 0, 0, 0, 12, 12],
  "/": [1, 1, 2, 4, 8, 16, 16],
  ":": [0, 12, 12, 0, 12, 12, 0],
};

const advance = 6;

export function lineWidth(text: string): number {
  return Math.max(0, text.length * advance - 1);
}

/**
 * Draws a line of capitals, digits and - . / : as an SVG path, because images must not depend on installed fonts. Other
 * characters are blank.
 */
export function drawText(
  text: string,
  left: number,
  top: number,
  square: number,
  color: string,
): string {
  let path = "";
  for (const [position, character] of text.toUpperCase().split("").entries()) {
    for (const [row, bits] of (letters[character] ?? []).entries()) {
      for (const run of bits.toString(2).padStart(5, "0").matchAll(/1+/g)) {
        const from = left + (position * advance + run.index) * square;
        const to = from + run[0].length * square;
        const y = top + row * square;
        // Rows overlap, because otherwise antialiasing leaves gaps.
        const corners = [from, y, to, y + square * 1.2].map((length) => length.toFixed(2));
        const [x1, y1, x2, y2] = corners;
        path += `M${x1} ${y1}H${x2}V${y2}H${x1}Z`;
      }
    }
  }
  return `<path d="${path}" fill="${color}"/>`;
}
