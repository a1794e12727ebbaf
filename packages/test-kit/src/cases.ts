/**
 * Number of cases that a property test runs: all in `npm run test:nightly` and `test:all`, a tenth in every other run,
 * rounded up.
 */
export function cases(count: number): number {
  return process.env["TRYON_TESTS"] === "nightly" ? count : Math.ceil(count / 10);
}

/** Seed of the run: 1, or in `npm run test:nightly` a new one, which it prints. */
export const seed = Number(process.env["TRYON_SEED"] ?? 1);

/** All items in `npm run test:nightly` and `test:all`, and every tenth in every other run. */
export function tenth<Item>(items: readonly Item[]): readonly Item[] {
  const step = Math.ceil(items.length / cases(items.length));
  return items.filter((_item, index) => index % step === 0);
}
