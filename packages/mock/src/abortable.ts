/** Requests in progress: calling one rejects it. */
export type OpenRequests = Set<(reason: Error) => void>;

/**
 * Waits for work, and rejects with the signal's reason as soon as the signal is aborted. The work itself goes on. Until
 * then, `open` has a function that rejects it.
 *
 * @param source owner of the signal, undefined if nothing can abort it. `open` keeps it in memory: the signal of a collected request never fires.
 */
export function abortable<Result>(
  work: Promise<Result>,
  source: { readonly signal: AbortSignal } | undefined,
  open: OpenRequests = new Set(),
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      open.delete(fail);
      source?.signal.removeEventListener("abort", abort);
    };
    const fail = (reason: Error): void => {
      end();
      reject(reason);
    };
    const succeed = (result: Result): void => {
      end();
      resolve(result);
    };
    // A signal may carry any value as its reason, and the caller gets that very value.
    const abort = (): void => fail(source?.signal.reason as Error);
    open.add(fail);
    if (source?.signal.aborted) abort();
    else source?.signal.addEventListener("abort", abort, { once: true });
    work.then(succeed, fail);
  });
}
