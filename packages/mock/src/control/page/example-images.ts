/** Example images as base64, drawn here so that no setting of the server has to fetch them. */
export function exampleImages(): { person: string; garment: string } {
  return { person: draw(drawPerson), garment: draw(drawShirt) };
}

function draw(paint: (context: CanvasRenderingContext2D) => void): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [300, 400];
  const context = canvas.getContext("2d");
  if (context !== null) {
    context.fillStyle = "#eef0f4";
    context.fillRect(0, 0, canvas.width, canvas.height);
    paint(context);
  }
  return canvas.toDataURL("image/png").replace(/^data:[^,]*,/, "");
}

function drawPerson(context: CanvasRenderingContext2D): void {
  context.fillStyle = "#c68863";
  context.beginPath();
  context.arc(150, 90, 42, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = "#7d8799";
  context.beginPath();
  context.roundRect(88, 145, 124, 160, 40);
  context.fill();
  context.fillStyle = "#454d5e";
  context.fillRect(100, 290, 42, 110);
  context.fillRect(158, 290, 42, 110);
}

function drawShirt(context: CanvasRenderingContext2D): void {
  context.fillStyle = "#4456c7";
  context.beginPath();
  const outline = [
    [105, 80],
    [195, 80],
    [275, 130],
    [245, 190],
    [215, 172],
    [215, 330],
    [85, 330],
    [85, 172],
    [55, 190],
    [25, 130],
  ] as const;
  for (const [x, y] of outline) context.lineTo(x, y);
  context.fill();
  context.fillStyle = "#eef0f4";
  context.beginPath();
  context.arc(150, 80, 26, 0, Math.PI);
  context.fill();
}
