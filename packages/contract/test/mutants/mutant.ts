import type { Mock } from "@tryon/mock";

/** A function like the global `fetch`. */
export type Fetch = typeof globalThis.fetch;

/** A deviation that is put into a reference server, to see that the kit finds it, by name, and finds nothing else. */
export interface Mutant {
  /** What the deployment does wrong, as a sentence without a subject. */
  readonly name: string;
  /** Where the rule stands that it breaks. */
  readonly section: string;
  /** The checks that find it. */
  readonly expected: readonly string[];
  /** The server, seen through the deviation. */
  readonly plant: (mock: Mock) => Fetch;
}

type Plant = Mutant["plant"];
type Rows<Args extends readonly unknown[]> = Readonly<
  Record<string, readonly [name: string, ...Args]>
>;

/**
 * Makes the mutants of a section of the document. The key of a row is the check that fails, or several with a comma
 * between. The row is the name of the mutant and the arguments of `plant`.
 */
export function mutants<Change>(
  section: string,
  plant: (change: Change) => Plant,
  rows: Rows<[NoInfer<Change>]>,
): readonly Mutant[];
export function mutants<Target, Change>(
  section: string,
  plant: (target: Target, change: Change) => Plant,
  rows: Rows<[NoInfer<Target>, NoInfer<Change>]>,
): readonly Mutant[];
export function mutants(
  section: string,
  plant: (...args: unknown[]) => Plant,
  rows: Rows<unknown[]>,
): readonly Mutant[] {
  return Object.entries(rows).map(([expected, [name, ...args]]) => ({
    name,
    section,
    expected: expected.split(", "),
    plant: plant(...args),
  }));
}
