/**
 * Number of cases that a property test runs: all in `npm run test:nightly` and `test:all`, a part in every other run,
 * rounded up.
 *
 * @param divisor - Divides the count of other runs. @default 10
 */
export function cases(count: number, divisor = 10): number {
  return process.env["TRYON_TESTS"] === "nightly" ? count : Math.ceil(count / divisor);
}

/** Seed of the run: 1, or in `npm run test:nightly` a new one, which it prints. */
export const seed = Number(process.env["TRYON_SEED"] ?? 1);

/** All items in `npm run test:nightly` and `test:all`, and every tenth, or another part, in every other run. */
export function tenth<Item>(items: readonly Item[], divisor = 10): readonly Item[] {
  const step = Math.ceil(items.length / cases(items.length, divisor));
  return items.filter((_item, index) => index % step === 0);
}
