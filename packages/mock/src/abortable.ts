/** The result of work, or the reason of the signal as soon as it is aborted; the work itself goes on. */
export async function abortable<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // A signal may carry any value as its reason, and callers are to get that very value.
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
    // When the signal has won, nobody is left to hear of a failure.
    work.catch(() => undefined);
  }
}
