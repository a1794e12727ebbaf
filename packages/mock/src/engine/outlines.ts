import type { Point } from "./lines.ts";

const pointsPerCurve = 48;

/** An ellipse. */
export function ellipse(centre: Point, radiusX: number, radiusY: number): readonly Point[] {
  return Array.from({ length: pointsPerCurve }, (_unused, index): Point => {
    const angle = (index / pointsPerCurve) * 2 * Math.PI;
    return [centre[0] + Math.cos(angle) * radiusX, centre[1] + Math.sin(angle) * radiusY];
  });
}

/** A rectangle whose corners are rounded. */
export function roundedBox(
  left: number,
  top: number,
  right: number,
  bottom: number,
  radius: number,
): readonly Point[] {
  const corner = (x: number, y: number, from: number): readonly Point[] =>
    Array.from({ length: 9 }, (_unused, index): Point => {
      const angle = from + (index / 8) * (Math.PI / 2);
      return [x + Math.cos(angle) * radius, y + Math.sin(angle) * radius];
    });
  return [
    ...corner(right - radius, bottom - radius, 0),
    ...corner(left + radius, bottom - radius, Math.PI / 2),
    ...corner(left + radius, top + radius, Math.PI),
    ...corner(right - radius, top + radius, Math.PI * 1.5),
  ];
}

/** Rounds the corners of an outline by cutting them twice (Chaikin's scheme). */
export function smooth(outline: readonly Point[], times = 2): readonly Point[] {
  if (times === 0) return outline;
  const cut = outline.flatMap((point, index): Point[] => {
    const next = outline[(index + 1) % outline.length] ?? point;
    const between = (share: number): Point => [
      point[0] + (next[0] - point[0]) * share,
      point[1] + (next[1] - point[1]) * share,
    ];
    return [between(0.25), between(0.75)];
  });
  return smooth(cut, times - 1);
}

/** The outline mirrored at a vertical line and joined to itself: half a figure becomes a whole one. */
export function mirrored(half: readonly Point[], axis: number): readonly Point[] {
  return [...half, ...half.toReversed().map(([x, y]): Point => [2 * axis - x, y])];
}
