import { find } from "./elements.ts";
import { preview } from "./preview.ts";

/** Two pictures, one over the other, and a line between them that moves: by pointer, by touch and by the arrow keys. */
export class Compare {
  readonly #root: HTMLElement;
  readonly #before: HTMLImageElement;
  readonly #after: HTMLImageElement;
  readonly #line: HTMLInputElement;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#before = find(root, ".before", HTMLImageElement);
    this.#after = find(root, ".after", HTMLImageElement);
    this.#line = find(root, "input", HTMLInputElement);
    this.#line.addEventListener("input", () => this.#move());
  }

  show(before: Blob | undefined, after: Blob | undefined): void {
    preview(this.#before, before);
    preview(this.#after, after);
    // Most of what is new is to be seen, and enough of what was to tell them apart.
    this.#line.value = "22";
    this.#move();
  }

  /** The address of the picture, as long as it is shown. */
  get address(): string {
    return this.#after.src;
  }

  #move(): void {
    const share = `${this.#line.value}%`;
    this.#root.style.setProperty("--before", share);
    this.#line.setAttribute("aria-valuetext", `${share} before`);
  }
}
