export type Fail = (message: string, hint: string) => Error;

/** Version of what the stores write. What has no version yet is of version 1. */
export const storeVersion = 1;

/** @throws the error of `fail` if `what` has a version that this release cannot read */
export function checkStoreVersion(found: unknown, what: string, fail: Fail): void {
  if (Number(found) === storeVersion) return;
  throw fail(
    `${what} was written by a newer release.`,
    "Nothing was changed. Update this package.",
  );
}

/** Returns a function that does the work once. After a failure, the next call does it again. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  return () =>
    (working ??= work().catch((error: unknown) => {
      working = undefined;
      throw error;
    }));
}
