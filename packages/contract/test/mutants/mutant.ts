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

/** Makes a mutant. The server, changed by `plant`, must fail the expected checks and no others. */
export function mutant(
  section: string,
  name: string,
  expected: string | readonly string[],
  plant: Mutant["plant"],
): Mutant {
  return { name, section, expected: typeof expected === "string" ? [expected] : expected, plant };
}
