import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Subject } from "../subject.ts";

const runs = 9;
const what = "submissions in process";

/** Submissions that are not waited for, with addresses of pictures, to the server as a function. */
export const submissionsInProcess: Subject = {
  title: "`POST /api/v1/tryon` in process",
  how: "One program calls `mock.fetch` one call after another, with two addresses of pictures, `wait: false`, the stock engine and a manual clock, as tests of apps do. Each run is a process of its own: 20,000 calls that are not counted, then 20,000 that are. Every answer has to be 200.",
  goal: { row: what, kind: "at least", bound: 12_000 },
  measure: async ({ processes }) => {
    const figures: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      figures.push(figureIn(await startProgram(processes, "submissions").end(), "perSecond"));
    }
    return { rows: [{ what, unit: "calls a second", figures }] };
  },
};
