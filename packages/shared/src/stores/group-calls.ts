/** Maximum number of calls in a group, so that others do not wait for long. */
const maxGroup = 100;

/** Runs a function after the callbacks that are due now. Not every runtime has `setImmediate`, which needs no timer. */
const { setImmediate: defer = setTimeout } = globalThis as {
  readonly setImmediate?: (run: () => void) => unknown;
};

/** Resolves after the callbacks that are due now. */
export function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => {
    defer(() => resolve(undefined));
  });
}

interface Waiting<Call, Result> {
  readonly call: Call;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that combines calls to groups: those of one turn of the event loop, and those that arrive while an earlier
 * group runs. So a store that is slow gets fewer and larger groups. A failure of a group rejects each of its calls.
 *
 * @param run - Runs calls in their order, and returns their results in this order.
 */
export function groupCalls<Call, Result>(
  run: (calls: readonly Call[]) => readonly Result[] | Promise<readonly Result[]>,
): (call: Call) => Promise<Result> {
  const waiting: Waiting<Call, Result>[] = [];
  let isRunning = false;
  const runAll = async (): Promise<void> => {
    const group = waiting.splice(0, maxGroup);
    try {
      const results = await run(group.map(({ call }) => call));
      // There is a result for each call.
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    isRunning = false;
    start();
  };
  const start = (): void => {
    if (isRunning || waiting.length === 0) return;
    isRunning = true;
    defer(() => void runAll());
  };
  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      start();
    });
}
