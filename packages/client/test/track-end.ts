/** Tells at any time whether some work has ended, well or not. */
export function trackEnd(work: Promise<unknown>): () => boolean {
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  work.then(end, end);
  return () => ended;
}
