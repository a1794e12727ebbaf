/** Requests in progress: calling one rejects it. */
export type OpenRequests = Set<(reason: Error) => void>;

/**
 * Waits for work, and rejects with the signal's reason as soon as the signal is aborted. The work itself goes on. Until
 * then, `open` has a function that rejects it.
 */
export async function abortable<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  open: OpenRequests = new Set(),
): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // A signal may carry any value as its reason, and the caller gets that very value.
  const abort = (): void => reject(signal.reason as Error);
  open.add(reject);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    open.delete(reject);
    signal.removeEventListener("abort", abort);
    // After an abort, no one handles a failure of the work.
    work.catch(() => undefined);
  }
}
