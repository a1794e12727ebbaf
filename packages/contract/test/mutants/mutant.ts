import type { Mock } from "@tryon/mock";

/** A function like the global `fetch`. */
export type Fetch = typeof globalThis.fetch;

/** A reference server with one defect, which the expected checks find and no others. */
export interface Mutant {
  /** Sentence about the defect, without its subject. */
  readonly name: string;
  /** Checks that fail. */
  readonly expected: readonly string[];
  /** Requests to the server with the defect. */
  readonly plant: (mock: Mock) => Fetch;
}

type Plant = Mutant["plant"];
type Rows<Args extends readonly unknown[]> = Readonly<
  Record<string, readonly [name: string, ...Args]>
>;

/**
 * Makes mutants. The key of a row is the check that fails, or several with a comma between. The row is the name of the
 * mutant and the arguments of `plant`.
 */
export function mutants<Change>(
  plant: (change: Change) => Plant,
  rows: Rows<[NoInfer<Change>]>,
): readonly Mutant[];
export function mutants<Target, Change>(
  plant: (target: Target, change: Change) => Plant,
  rows: Rows<[NoInfer<Target>, NoInfer<Change>]>,
): readonly Mutant[];
export function mutants(
  plant: (...args: unknown[]) => Plant,
  rows: Rows<unknown[]>,
): readonly Mutant[] {
  return Object.entries(rows).map(([expected, [name, ...args]]) => ({
    name,
    expected: expected.split(", ").toSorted(),
    plant: plant(...args),
  }));
}
