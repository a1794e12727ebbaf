export interface Shown {
  readonly count: number;
  readonly places: readonly string[];
}

const maxPlaces = 3;

/** Maximum number of findings. A service could vary the names in them without end. */
const maxFindings = 1_000;

export class Findings<What extends object> {
  readonly #found = new Map<string, What & { count: number; places: string[] }>();

  add(name: string, what: What, place: string): void {
    const found = this.#found.get(name) ?? { ...what, count: 0, places: [] };
    found.count += 1;
    if (found.places.length < maxPlaces) found.places.push(place);
    if (this.#found.size < maxFindings) this.#found.set(name, found);
  }

  get all(): readonly (What & Shown)[] {
    return [...this.#found.values()];
  }
}
