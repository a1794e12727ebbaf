import { readdir, readFile } from "node:fs/promises";

/** Runs work, and returns its result and the growth of the memory of all programs that this process started, in MiB. */
export async function peakMemoryOf<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly growth: number }> {
  const before = await memoryOfPrograms();
  let peak = before;
  const done = new AbortController();
  const measured = (async () => {
    while (!done.signal.aborted) peak = Math.max(peak, await memoryOfPrograms());
  })();
  const result = await work().finally(() => done.abort());
  await measured;
  return { result, growth: peak - before };
}

/** Shared memory counts once. */
async function memoryOfPrograms(): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const [, parent] = /\) \w (\d+)/.exec(stat) ?? [];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOwn = (id: number | undefined): boolean =>
    id !== undefined && (parents.get(id) === process.pid || isOwn(parents.get(id)));
  let memory = 0;
  for (const id of parents.keys()) {
    if (!isOwn(id)) continue;
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
    memory += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1_024;
  }
  return memory;
}
