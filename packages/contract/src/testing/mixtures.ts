import { optionTable } from "@tryon/mock";
import fc from "fast-check";

/** The options of a reference server, each at one of its values. */
export const mixture = fc.record(
  Object.fromEntries(
    optionTable.map(({ id, values }) => [id, fc.constantFrom(...(values as readonly unknown[]))]),
  ),
);

/** So many different mixtures, always the same ones. */
export function mixtures(count: number): readonly Readonly<Record<string, unknown>>[] {
  return fc.sample(mixture, { numRuns: count, seed: 20_260_101 });
}
