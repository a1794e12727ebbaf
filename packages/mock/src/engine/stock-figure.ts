import { mix, type Canvas } from "./canvas.ts";
import type { Point } from "./lines.ts";
import { ellipse, mirrored, smooth } from "./outlines.ts";

/** The colours of one figure. */
export interface FigureLook {
  readonly background: number;
  readonly cloth: number;
  readonly skin: number;
  readonly striped: boolean;
}

/** The figure stands on a drawing 300 units wide and 400 high. */
export const figureUnits = 300;
export const ink = 0x2b2d42;
const axis = figureUnits / 2;

/** Draws a person from head to toe who wears a shirt of the look's cloth. */
export function drawFigure(canvas: Canvas, look: FigureLook): void {
  drawHead(canvas, look);
  drawLimbs(canvas, look);
  drawShirt(canvas, look);
}

function drawHead(canvas: Canvas, look: FigureLook): void {
  const hair = mix(ink, look.skin, 0.12);
  canvas.paint(ellipse([axis, 60], 34, 38), hair);
  canvas.paint(box(141, 84, 159, 128), mix(look.skin, ink, 0.12));
  canvas.paint(ellipse([axis, 68], 26, 33), look.skin);
  canvas.paint(
    smooth(
      [
        [121, 66],
        [122, 32],
        [150, 24],
        [178, 32],
        [179, 66],
        [166, 48],
        [134, 46],
      ],
      3,
    ),
    hair,
  );
  for (const x of [140, 160]) {
    canvas.paint(ellipse([x, 69], 2.3, 3), ink);
    canvas.paint(
      smooth([
        [x - 6, 61],
        [x, 58],
        [x + 6, 61],
        [x, 60],
      ]),
      hair,
    );
  }
  canvas.paint(
    smooth(
      [
        [139, 84],
        [150, 87],
        [161, 84],
        [150, 93],
      ],
      3,
    ),
    mix(look.skin, ink, 0.45),
  );
}

function drawLimbs(canvas: Canvas, look: FigureLook): void {
  const trousers = mix(ink, look.background, 0.2);
  for (const side of [-1, 1]) {
    const x = (distance: number): number => axis + side * distance;
    canvas.paint(
      smooth(
        [
          [x(40), 150],
          [x(64), 150],
          [x(66), 214],
          [x(60), 262],
          [x(50), 262],
          [x(46), 214],
        ],
        3,
      ),
      look.skin,
    );
    canvas.paint(
      smooth(
        [
          [x(10), 352],
          [x(34), 350],
          [x(44), 362],
          [x(44), 372],
          [x(10), 372],
        ],
        3,
      ),
      ink,
    );
  }
  canvas.paint(
    mirrored(
      [
        [axis, 238],
        [111, 238],
        [114, 360],
        [140, 360],
        [axis, 276],
      ],
      axis,
    ),
    trousers,
  );
}

function drawShirt(canvas: Canvas, look: FigureLook): void {
  const shade = mix(look.cloth, ink, 0.24);
  const body: readonly Point[] = [
    [axis, 126],
    [134, 118],
    [114, 124],
    [110, 252],
    [axis, 256],
  ];
  canvas.paint(mirrored(body, axis), look.cloth);
  if (look.striped) {
    for (let top = 150; top < 246; top += 17) canvas.paint(box(112.5, top, 187.5, top + 6), shade);
  }
  for (const side of [-1, 1]) {
    const x = (distance: number): number => axis + side * distance;
    canvas.paint(
      [
        [x(34), 123],
        [x(56), 134],
        [x(72), 196],
        [x(48), 203],
        [x(36), 164],
      ],
      look.cloth,
    );
    canvas.paint(
      [
        [x(48), 203],
        [x(46.5), 197],
        [x(70.6), 190],
        [x(72), 196],
      ],
      shade,
    );
    canvas.paint(
      [
        [x(36.5), 160],
        [x(48), 203],
        [x(45.5), 203],
        [x(36.2), 172],
      ],
      shade,
    );
  }
  canvas.paint(
    mirrored(
      [
        [axis, 136],
        [139, 127],
        [134, 118],
        [axis, 126],
      ],
      axis,
    ),
    shade,
  );
  canvas.paint(
    mirrored(
      [
        [axis, 132],
        [141, 124],
        [139, 117],
        [axis, 110],
      ],
      axis,
    ),
    mix(look.skin, ink, 0.12),
  );
}

function box(left: number, top: number, right: number, bottom: number): readonly Point[] {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}
