import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Subject } from "../subject.ts";

const runs = 9;
const what = "submissions in process";

/** Submissions that are not waited for, with addresses of pictures, to the server as a function. */
export const submissionsInProcess: Subject = {
  name: "submissions",
  title: "`POST /api/v1/tryon` in process",
  how: "One program calls `mock.fetch` one call after another, with two addresses of pictures, `wait: false`, the stock engine and a manual clock, as tests of apps do. Each run is a process of its own: 20,000 calls that are not counted, then 20,000 that are. Every answer has to be 200.",
  goals: [{ row: what, kind: "at least", bound: 12_000 }],
  measure: async ({ processes }) => {
    const figures: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      figures.push(figureIn(await startProgram(processes, "submissions").end(), "perSecond"));
    }
    return {
      rows: [{ what, unit: "calls a second", figures }],
      remarks: [
        "What bounds it: in a profile 10 % of the time is the collection of garbage, 9 % the making of web `Request` objects, 8 % that of `Response` objects, 8 % the fingerprint of the request (SHA-256), 6 % the drawing of ids; no single function has 3 % by itself.",
      ],
    };
  },
};
