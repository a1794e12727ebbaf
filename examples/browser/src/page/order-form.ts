import type { OutputSize, TryOn } from "@tryon/client";

import { find } from "./elements.ts";
import type { Wish } from "./order.ts";
import { PictureField } from "./picture-field.ts";
import { pictureWords } from "./picture-words.ts";
import { garments, people } from "./samples.ts";

/** What a visitor fills in: pictures, size and words. */
export class OrderForm {
  readonly #form: HTMLFormElement;
  readonly #button: HTMLButtonElement;
  readonly #missing: HTMLElement;
  readonly #person: PictureField;
  readonly #garments: PictureField;
  #busy = false;

  constructor(form: HTMLFormElement, tryon: TryOn, onWish: (wish: Wish) => void) {
    this.#form = form;
    this.#button = find(form, "button[type=submit]", HTMLButtonElement);
    this.#missing = find(form, ".missing", HTMLElement);
    // The client knows what the service is certain to refuse; here what only looks wrong is no picture, either.
    const refusal = async (file: Blob, name: string): Promise<string | undefined> => {
      const [issue] = await tryon.validate({ person: file, garments: [file] });
      return issue && pictureWords(name, issue);
    };
    const field = (name: string) => find(form, `[data-field="${name}"]`, HTMLElement);
    const shared = { refusal, onChange: () => this.#refresh() };
    this.#person = new PictureField(field("person"), { ...shared, most: 1, samples: people });
    this.#garments = new PictureField(field("garments"), { ...shared, most: 3, samples: garments });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const wish = this.#wish();
      if (wish !== undefined && !this.#busy) onWish(wish);
    });
    this.#refresh();
  }

  /** One try-on at a time. */
  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#refresh();
  }

  /** Brings visitors back to what they have filled in. */
  focus(): void {
    this.#form.scrollIntoView({ block: "nearest" });
    this.#form.focus({ preventScroll: true });
  }

  #wish(): Wish | undefined {
    const [person] = this.#person.files;
    const { files } = this.#garments;
    if (person === undefined || files.length === 0) return undefined;
    const fields = new FormData(this.#form);
    // The radio buttons have no other values.
    const size = fields.get("size") as OutputSize;
    // And a line of text is one.
    const words = fields.get("wish") as string;
    return { person, garments: files, size, words: words.trim() };
  }

  #refresh(): void {
    const absent = [
      ...(this.#person.files.length === 0 ? ["a photo of you"] : []),
      ...(this.#garments.files.length === 0 ? ["a garment"] : []),
    ];
    this.#button.disabled = this.#busy || absent.length > 0;
    this.#button.textContent = this.#busy ? "On its way…" : "Try it on";
    this.#missing.textContent = absent.length > 0 ? `Still missing: ${absent.join(" and ")}.` : "";
  }
}
