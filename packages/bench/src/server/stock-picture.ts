import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Subject } from "../subject.ts";

const runs = 21;
const first = "the first picture of a process";

/** The picture that a server makes when no other engine was chosen. */
export const stockPicture: Subject = {
  name: "picture",
  title: "The stock picture, 1K",
  how: "Each run is a process of its own, which has the stock engine make its first picture of 768 × 1,024 pixels, the same picture again, and, after twenty others, one that it has not made before. Loading the code does not count; that no compiler has seen it yet does.",
  goals: [{ row: first, kind: "at most", bound: 15 }],
  measure: async ({ processes }) => {
    const figures = { first: [] as number[], again: [] as number[], later: [] as number[] };
    for (let run = 0; run < runs; run += 1) {
      const printed = await startProgram(processes, "stock-picture").end();
      figures.first.push(figureIn(printed, "first"));
      figures.again.push(figureIn(printed, "again"));
      figures.later.push(figureIn(printed, "later"));
    }
    return {
      rows: [
        { what: first, unit: "ms", figures: figures.first },
        { what: "the same again", unit: "ms", figures: figures.again },
        { what: "another, after twenty", unit: "ms", figures: figures.later },
      ],
      remarks: [
        "What bounds it: the first picture is drawn by code that runs for the first time. The last row is the same work once the compilers have seen it; the difference is the interpreter, and the compilers at work beside it, which need a second core that is free. Timed apart, two thirds of it are the drawing of outlines and a third is the packing.",
      ],
    };
  },
};
