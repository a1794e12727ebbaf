import type { InputIssue, InputIssueCode, TryOn } from "@tryon/client";

import { createElement, findElement, showBlob } from "./elements.ts";
import { prepareFile } from "./prepare-file.ts";

/** Image for visitors who have none. */
export interface Sample {
  /** Id of the product, for a garment. */
  readonly id?: string;
  readonly name: string;
  readonly url: string;
}

export interface ImageFieldOptions {
  readonly tryon: TryOn;
  /** Maximum number of images. If it is 1, a new image replaces the old one. */
  readonly max: number;
  readonly samples: readonly Sample[];
  readonly onChange: () => void;
}

interface Entry {
  readonly file: Blob;
  readonly item: HTMLLIElement;
  readonly image: HTMLImageElement;
}

/** Field for images that visitors choose, drop or take from the samples. It rejects other files. */
export class ImageField {
  readonly #root: HTMLElement;
  readonly #options: ImageFieldOptions;
  readonly #input: HTMLInputElement;
  #entries: readonly Entry[] = [];

  constructor(root: HTMLElement, options: ImageFieldOptions) {
    this.#root = root;
    this.#options = options;
    this.#input = findElement(root, ".drop input", HTMLInputElement);
    for (const input of root.querySelectorAll<HTMLInputElement>("input[type=file]")) {
      input.addEventListener("change", () => this.#addChosen(input));
    }
    const onDrag = (over: boolean) => (event: DragEvent) => {
      event.preventDefault();
      root.classList.toggle("over", over);
    };
    root.addEventListener("dragover", onDrag(true));
    root.addEventListener("dragleave", onDrag(false));
    root.addEventListener("drop", (event) => {
      onDrag(false)(event);
      void this.#add([...(event.dataTransfer?.files ?? [])]);
    });
    const buttons = options.samples.map((sample) => this.#createSampleButton(sample));
    findElement(root, ".samples", HTMLElement).append(...buttons);
    // The visitor may have chosen files before this script ran.
    this.#addChosen(this.#input);
  }

  /** Removes all images. */
  clear(): void {
    for (const entry of this.#entries) this.#remove(entry);
    this.#showProblems([]);
  }

  get files(): readonly Blob[] {
    return this.#entries.map(({ file }) => file);
  }

  #addChosen(input: HTMLInputElement): void {
    const files = [...(input.files ?? [])];
    // Without this, choosing the same file again would not trigger an event.
    input.value = "";
    void this.#add(files);
  }

  async #add(files: readonly File[]): Promise<void> {
    const problems: string[] = [];
    this.#showProblems([]);
    for (const original of files) {
      const file = await prepareFile(original);
      const issues = await this.#options.tryon.validate({ person: file, garments: [file] });
      // Files in an unknown format are rarely photos. The page accepts photos with other warnings.
      const issue = issues.find(
        ({ severity, code }) => severity === "error" || code === "unknown_image",
      );
      if (issue) problems.push(fileMessage(original.name, issue));
      else if (this.#makeRoom()) this.#addEntry(file, original.name);
      else problems.push(`“${original.name}” was not added. Remove an image first.`);
    }
    this.#showProblems(problems);
  }

  #addEntry(file: Blob, name: string): void {
    const image = createElement("img", { alt: name });
    const button = createElement("button", { type: "button", className: "remove" }, "×");
    button.ariaLabel = button.title = `Remove ${name}`;
    const item = createElement("li", {}, image, button);
    const entry = { file, item, image };
    // The service accepts formats that some browsers cannot show.
    image.addEventListener("error", () => item.classList.add("no-preview"));
    showBlob(image, file);
    button.addEventListener("click", () => {
      this.#remove(entry);
      this.#input.focus();
    });
    findElement(this.#root, ".images", HTMLElement).append(item);
    this.#setEntries([...this.#entries, entry]);
  }

  #makeRoom(): boolean {
    const { max } = this.#options;
    const [first] = this.#entries;
    if (max === 1 && first !== undefined) this.#remove(first);
    return this.#entries.length < max;
  }

  #remove(entry: Entry): void {
    showBlob(entry.image, undefined);
    entry.item.remove();
    this.#setEntries(this.#entries.filter((other) => other !== entry));
  }

  #setEntries(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#root.classList.toggle("empty", entries.length === 0);
    this.#root.classList.toggle("full", entries.length === this.#options.max);
    this.#options.onChange();
  }

  #showProblems(problems: readonly string[]): void {
    const element = findElement(this.#root, ".problem", HTMLElement);
    element.hidden = problems.length === 0;
    element.textContent = problems.join(" ");
  }

  #createSampleButton({ name, url }: Sample): HTMLButtonElement {
    const image = createElement("img", { src: url, alt: "" });
    const button = createElement("button", { type: "button", className: "sample" }, image);
    button.ariaLabel = `Use the sample: ${name}`;
    button.addEventListener("click", () => void this.addSample({ name, url }));
    return button;
  }

  async addSample({ name, url }: Sample): Promise<void> {
    try {
      const blob = await (await fetch(url)).blob();
      await this.#add([new File([blob], name, { type: blob.type })]);
    } catch {
      this.#showProblems([`“${name}” could not be loaded. Check your network, then try again.`]);
    }
  }
}

const formats = "Choose a JPEG, PNG, WebP, AVIF or HEIC.";

function fileMessage(name: string, { code, bound = 0 }: InputIssue): string {
  const messages: { readonly [Code in InputIssueCode]?: string } = {
    empty: "is empty. Choose another file.",
    not_an_image: `is not an image. ${formats}`,
    unknown_image: `has an unknown format. ${formats}`,
    truncated: "is not complete. Choose or download it again.",
    too_large: `is larger than ${Math.floor(bound / 1_000_000)} MB. Choose a smaller file.`,
    unreadable: "cannot be read. Choose it again.",
  };
  return `“${name}” ${messages[code] ?? `cannot be used. ${formats}`}`;
}
