const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMilliseconds = 80;

/** Where progress is shown. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What goes on at the moment: one moving line on a terminal, a plain line for each change where output is piped. */
export class Progress {
  readonly #output: Output;
  readonly #startedAt = performance.now();
  #text = "";
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows a step; the same step again changes nothing. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (this.#output.isTTY !== true) {
      this.#output.write(`  … ${text}\n`);
      return;
    }
    this.#draw();
    this.#timer ??= setInterval(() => this.#draw(), frameMilliseconds);
  }

  /** Takes the moving line away. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#output.isTTY === true && this.#text !== "") this.#output.write("\r\u001B[2K");
    this.#text = "";
  }

  #draw(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1);
    const frame = frames[this.#frame % frames.length] ?? "";
    this.#frame += 1;
    this.#output.write(`\r\u001B[2K  ${frame} ${this.#text} ${seconds} s`);
  }
}
