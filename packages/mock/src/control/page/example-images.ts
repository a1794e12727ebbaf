type Shape = readonly [color: string, path: string];

const background: Shape = ["#eef0f4", "M0 0h300v400H0z"];

const person = [
  background,
  ["#c68863", "M150 48a42 42 0 1 0 .1 0z"],
  ["#7d8799", "M128 145h44q40 0 40 40v80q0 40-40 40h-44q-40 0-40-40v-80q0-40 40-40z"],
  ["#454d5e", "M100 290h42v110h-42zM158 290h42v110h-42z"],
] as const;

const shirt = [
  background,
  ["#4456c7", "M105 80h90l80 50-30 60-30-18v158H85V172l-30 18-30-60z"],
  ["#eef0f4", "M124 80a26 26 0 0 0 52 0z"],
] as const;

/** Returns example images in base64 as fields of a submission. With them the server fetches no URL. */
export function exampleImages() {
  return { person_image_b64: draw(person), garment_images_b64: [draw(shirt)] };
}

function draw(shapes: readonly Shape[]): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [300, 400];
  const context = canvas.getContext("2d");
  for (const [color, path] of shapes) {
    if (context !== null) context.fillStyle = color;
    context?.fill(new Path2D(path));
  }
  return canvas.toDataURL("image/png").replace(/^data:[^,]*,/, "");
}
