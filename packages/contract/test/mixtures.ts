import { optionTable } from "@tryon/mock";
import { constantFrom, record, sample } from "fast-check";

/** The options of a reference server, each at one of its values. */
const mixture = record(
  Object.fromEntries(
    optionTable.map(({ id, values }) => [id, constantFrom(...(values as readonly unknown[]))]),
  ),
);

/** Returns a number of mixtures, the same ones in every run. */
export function mixtures(count: number): readonly Readonly<Record<string, unknown>>[] {
  return sample(mixture, { numRuns: count, seed: 20_260_101 });
}
