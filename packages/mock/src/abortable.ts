/** Calls under way: each ends with an error when it is told to. */
export type OpenCalls = Set<(reason: Error) => void>;

/**
 * The result of work, or the reason of the signal as soon as it is aborted; the work itself goes on. While it does, it
 * can be ended through `open`.
 */
export async function abortable<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  open: OpenCalls = new Set(),
): Promise<Result> {
  let stop: (() => void) | undefined;
  let end: ((reason: Error) => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    end = reject;
    open.add(reject);
    // A signal may carry any value as its reason, and callers are to get that very value.
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (end !== undefined) open.delete(end);
    if (stop !== undefined) signal.removeEventListener("abort", stop);
    // When the signal has won, nobody is left to hear of a failure.
    work.catch(() => undefined);
  }
}
