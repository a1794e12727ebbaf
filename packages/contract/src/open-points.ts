import spec from "@tryon/spec/options.json" with { type: "json" };

/** Value of an option of the reference server. */
export type OptionValue = string | number | boolean;

export const openPoints = new Map(
  spec.options.map(({ id, summary, rules, values, notObservable }) => {
    const meanings = new Map(values.map(([value = "", meaning]) => [value, String(meaning)]));
    const meaningOf = (value: OptionValue): string | undefined => meanings.get(value);
    const point = { id, summary, rules, values: [...meanings.keys()], notObservable, meaningOf };
    return [id, point] as const;
  }),
);

export const hiddenOptions: readonly string[] = [...openPoints.values()].flatMap(
  ({ id, notObservable }) => (notObservable === undefined ? [] : [id]),
);

export function valuesOf(option: string): readonly OptionValue[] {
  return openPoints.get(option)?.values ?? [];
}

/** Values that an exchange allows, a reason why it shows none, or undefined if it says nothing about the point. */
export type Evidence = readonly OptionValue[] | string | undefined;

const maxPlaces = 3;

export class Judgment {
  readonly #decisive: OptionValue | undefined;
  #allowed: readonly OptionValue[];
  #reason: string | undefined;
  readonly #evidence: string[] = [];
  contradictions: string[] = [];

  /** @param decisive - Value that one exchange proves, although others look like another value. */
  constructor(option: string, decisive?: OptionValue) {
    this.#allowed = valuesOf(option);
    this.#decisive = decisive;
  }

  add(evidence: Evidence, place: string): void {
    if (evidence === undefined) return;
    if (typeof evidence === "string") {
      this.#reason = evidence;
      return;
    }
    if (this.#allowed.length === 1 && this.#allowed[0] === this.#decisive) return;
    const isDecisive = evidence.length === 1 && evidence[0] === this.#decisive;
    const left = isDecisive ? evidence : this.#allowed.filter((value) => evidence.includes(value));
    if (left.length === 0) {
      if (this.contradictions.length < maxPlaces) this.contradictions.push(place);
      return;
    }
    const isNew = left.length < this.#allowed.length || this.#evidence.length < maxPlaces;
    this.#allowed = left;
    if (isDecisive) this.contradictions = [];
    if (isNew || isDecisive) this.#evidence.push(place);
  }

  get value(): OptionValue | undefined {
    const isKnown = this.#allowed.length === 1 && this.contradictions.length === 0;
    return isKnown ? this.#allowed[0] : undefined;
  }

  get possible(): readonly OptionValue[] | undefined {
    return this.#evidence.length > 0 ? this.#allowed : undefined;
  }

  get reason(): string | undefined {
    return this.contradictions.length > 0
      ? "The responses show more than one value."
      : this.#reason;
  }

  get evidence(): readonly string[] {
    return this.#evidence.slice(-maxPlaces);
  }
}
