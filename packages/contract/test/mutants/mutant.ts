import type { Mock } from "@tryon/mock";

/** A function like the global `fetch`. */
export type Fetch = typeof globalThis.fetch;

/** A reference server with one defect, which the expected checks find and no others. */
export interface Mutant {
  /** Sentence about the defect, without its subject. */
  readonly name: string;
  /** Section of the document with the rule. */
  readonly section: string;
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
