import { find, make } from "./elements.ts";
import { preview } from "./preview.ts";
import type { Sample } from "./samples.ts";
import { shrink } from "./shrink.ts";

interface Picture {
  readonly file: Blob;
  readonly item: HTMLLIElement;
  readonly image: HTMLImageElement;
}

export interface PictureFieldOptions {
  /** How many pictures fit in. Where it is one, another takes its place. */
  readonly most: number;
  readonly samples: readonly Sample[];
  /** Says what is wrong with a file, if anything is. */
  readonly refusal: (file: Blob, name: string) => Promise<string | undefined>;
  readonly onChange: () => void;
}

/** A place for pictures: chosen, dropped or taken from the samples. What is no picture does not get in. */
export class PictureField {
  readonly #root: HTMLElement;
  readonly #options: PictureFieldOptions;
  readonly #list: HTMLUListElement;
  readonly #input: HTMLInputElement;
  readonly #problem: HTMLElement;
  #pictures: readonly Picture[] = [];

  constructor(root: HTMLElement, options: PictureFieldOptions) {
    this.#root = root;
    this.#options = options;
    this.#list = find(root, ".pictures", HTMLUListElement);
    this.#input = find(root, "input[type=file]", HTMLInputElement);
    this.#problem = find(root, ".problem", HTMLElement);
    this.#input.addEventListener("change", () => this.#takeChosen());
    this.#takeDrops();
    find(root, ".samples", HTMLElement).append(
      ...options.samples.map((sample) => this.#sampleButton(sample)),
    );
    // Whoever was quicker than the page, or came back to it, has chosen already.
    this.#takeChosen();
  }

  get files(): readonly Blob[] {
    return this.#pictures.map(({ file }) => file);
  }

  #takeChosen(): void {
    const files = [...(this.#input.files ?? [])];
    // The same file can be chosen again after it was mended.
    this.#input.value = "";
    void this.#add(files);
  }

  async #add(files: readonly File[]): Promise<void> {
    const refusals: string[] = [];
    this.#say([]);
    for (const original of files) {
      const file = await shrink(original);
      const refusal = await this.#options.refusal(file, original.name);
      if (refusal !== undefined) refusals.push(refusal);
      else if (!this.#makeRoom())
        refusals.push(`“${original.name}” has no room: take one off first.`);
      else this.#put(file, original.name);
    }
    this.#say(refusals);
  }

  #put(file: Blob, name: string): void {
    const image = make("img", { alt: name });
    const button = make("button", { type: "button", className: "remove", title: "Remove" }, "×");
    button.setAttribute("aria-label", `Remove ${name}`);
    const item = make("li", {}, image, button);
    const picture = { file, item, image };
    // A kind of picture that this browser cannot show can be tried on all the same.
    image.addEventListener("error", () => item.classList.add("unseen"));
    preview(image, file);
    button.addEventListener("click", () => {
      this.#remove(picture);
      this.#input.focus();
    });
    this.#pictures = [...this.#pictures, picture];
    this.#list.append(item);
    this.#changed();
  }

  #makeRoom(): boolean {
    const { most } = this.#options;
    const [only] = this.#pictures;
    if (most === 1 && only !== undefined) this.#remove(only);
    return this.#pictures.length < most;
  }

  #remove(picture: Picture): void {
    preview(picture.image, undefined);
    picture.item.remove();
    this.#pictures = this.#pictures.filter((one) => one !== picture);
    this.#changed();
  }

  #changed(): void {
    const { length } = this.#pictures;
    this.#root.classList.toggle("empty", length === 0);
    this.#root.classList.toggle("full", length === this.#options.most);
    this.#options.onChange();
  }

  #say(problems: readonly string[]): void {
    this.#problem.hidden = problems.length === 0;
    this.#problem.textContent = problems.join(" ");
  }

  #takeDrops(): void {
    const mark = (over: boolean) => (event: DragEvent) => {
      event.preventDefault();
      this.#root.classList.toggle("over", over);
    };
    this.#root.addEventListener("dragover", mark(true));
    this.#root.addEventListener("dragleave", mark(false));
    this.#root.addEventListener("drop", (event) => {
      mark(false)(event);
      void this.#add([...(event.dataTransfer?.files ?? [])]);
    });
  }

  #sampleButton({ name, url }: Sample): HTMLButtonElement {
    const image = make("img", { src: url, alt: "" });
    const button = make("button", { type: "button", className: "sample" }, image);
    button.setAttribute("aria-label", `Take the sample: ${name}`);
    button.addEventListener("click", () => void this.#addSample(name, url));
    return button;
  }

  async #addSample(name: string, url: string): Promise<void> {
    try {
      const blob = await (await fetch(url)).blob();
      await this.#add([new File([blob], name, { type: blob.type })]);
    } catch {
      this.#say([`“${name}” could not be loaded. Check your network, then try again.`]);
    }
  }
}
