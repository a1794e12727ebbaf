import * as fc from "fast-check";

/** Numbers that decide the choices of one trial. The same numbers build the same trial again. */
export const numbers = fc.array(fc.nat(), { minLength: 200, maxLength: 200 });

/** Choices that a list of numbers decides, again from its start when a trial needs more of them. */
export class Choices {
  readonly #numbers: readonly number[];
  #index = 0;

  constructor(list: readonly number[]) {
    this.#numbers = list;
  }

  /** Returns an integer from 0 to below the limit. */
  below(limit: number): number {
    const number = this.#numbers[this.#index % this.#numbers.length] ?? 0;
    this.#index += 1;
    return number % limit;
  }

  /** Returns an item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    // The index is in range.
    return items[this.below(items.length)] as Item;
  }

  /** Returns true for one of `times` numbers. The number 0, to which fast-check shrinks, gives false. */
  oneIn(times: number): boolean {
    return this.below(times) === times - 1;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
