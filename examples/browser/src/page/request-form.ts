import type { OutputSize, TryOn } from "@tryon/client";

import { findElement } from "./elements.ts";
import { ImageField, type Sample } from "./image-field.ts";
import type { FormValues } from "./form-values.ts";

const people: readonly Sample[] = [
  { name: "a person", url: new URL("../../images/person.jpg", import.meta.url).href },
];
const garments: readonly Sample[] = [
  { id: "shirt", name: "a shirt", url: new URL("../../images/shirt.png", import.meta.url).href },
  {
    id: "jacket",
    name: "a jacket",
    url: new URL("../../images/jacket.webp", import.meta.url).href,
  },
  { id: "hat", name: "a hat", url: new URL("../../images/hat.png", import.meta.url).href },
];

/** Form for the images and options of a try-on. */
export class RequestForm {
  readonly #form: HTMLFormElement;
  readonly #button: HTMLButtonElement;
  readonly #person: ImageField;
  readonly #garments: ImageField;
  #busy = false;

  constructor(form: HTMLFormElement, tryon: TryOn, onSubmit: (values: FormValues) => void) {
    this.#form = form;
    this.#button = findElement(form, "button[type=submit]", HTMLButtonElement);
    const field = (name: string) => findElement(form, `[data-field="${name}"]`, HTMLElement);
    const shared = { tryon, onChange: () => this.#update() };
    this.#person = new ImageField(field("person"), { ...shared, max: 1, samples: people });
    this.#garments = new ImageField(field("garments"), { ...shared, max: 3, samples: garments });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const values = this.#values();
      if (values !== undefined && !this.#busy) onSubmit(values);
    });
    this.#update();
  }

  /** Chooses a product of the shop, for a visitor who comes from its page. */
  async chooseGarment(id: string): Promise<void> {
    const product = garments.find((garment) => garment.id === id);
    if (product) await this.#garments.addSample(product);
  }

  /** Removes the photo of the visitor. */
  clearPhoto(): void {
    this.#person.clear();
  }

  /** Disables the form while a try-on is running. */
  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#update();
  }

  focus(): void {
    this.#form.scrollIntoView({ block: "nearest" });
    this.#form.focus({ preventScroll: true });
  }

  #values(): FormValues | undefined {
    const [person] = this.#person.files;
    const { files } = this.#garments;
    if (person === undefined || files.length === 0) return undefined;
    const fields = new FormData(this.#form);
    // The radio buttons contain sizes, and the input contains text.
    const size = fields.get("size") as OutputSize;
    const prompt = fields.get("prompt") as string;
    return { person, garments: files, size, prompt: prompt.trim() };
  }

  #update(): void {
    const missing = [
      ...(this.#person.files.length === 0 ? ["a photo of you"] : []),
      ...(this.#garments.files.length === 0 ? ["a garment"] : []),
    ].join(" and ");
    this.#button.disabled = this.#busy || missing !== "";
    this.#button.textContent = this.#busy ? "Working…" : "Try it on";
    findElement(this.#form, ".missing", HTMLElement).textContent =
      missing && `Still missing: ${missing}.`;
  }
}
