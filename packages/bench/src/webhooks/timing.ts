import { bundleProgram } from "../client/bundle.ts";
import { figureIn } from "../reading.ts";
import type { Findings, Row, Subject } from "../subject.ts";
import { guessers } from "./guesses.ts";
import { intervalOf } from "./welch.ts";

const rounds = 9;
const samples = 60_000;
const [comparison, whole, leaky] = Object.keys(guessers);
const ratio = (name = ""): string => `${name}: wrong in the last byte, in times wrong in the first`;
const noise = (name = ""): string => `${name}: wrong in the first byte, in times the same again`;
const apart = (name = ""): string => `${name}: how far last and first lie apart`;
const noiseApart = (name = ""): string => `${name}: how far first and first lie apart`;

/** Whether the time of a refusal tells how far a guess was right. */
export const webhookTiming: Subject = {
  name: "webhook-timing",
  title: "What the time of a refusal tells",
  how: `Digests that are right but for one byte are refused: wrong in the first byte, in the last, and, to see what is noise, in the first once more. In each of ${rounds} processes for each row ${samples.toLocaleString("en-US")} samples of the three are taken in random order, each with another wrong value of that byte, in the same memory; a sample is the time of 100 comparisons, or of 4 verifications of an event of 300 bytes. Of two classes that are compared, samples above the 90 % quantile of both together are left out. A figure is what one process found: the ratio of the means, and Welch's t, which is how many standard errors the means lie apart, whichever is the greater; 4.5 is the usual bound of such tests, above which a difference is taken for real. Some nanoseconds are easily lost in a whole verification, where a comparison that leaks them can pass: the row of the comparison alone is the one that would show them. The last of the comparisons is not ours: it stops at the first difference, and shows that the method sees one.`,
  goals: [
    { row: apart(comparison), kind: "at most", bound: 4.5 },
    { row: apart(whole), kind: "at most", bound: 4.5 },
    { row: apart(leaky), kind: "at least", bound: 4.5 },
  ],
  measure: async (bench) => {
    const program = await bundleProgram(bench, "webhook-timing");
    const rows: Row[] = [];
    const remarks: string[] = [];
    for (const name of Object.keys(guessers)) {
      const printed: string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        printed.push(await bench.processes.node([program, name, String(samples)]).end());
      }
      const figures = (what: string) => printed.map((text) => figureIn(text, what));
      const [least, most] = intervalOf(figures("ratio"));
      const [low, high] = intervalOf(figures("noiseRatio"));
      rows.push(
        {
          what: `${name}: one call`,
          unit: "ns",
          figures: figures("nanoseconds"),
        },
        { what: ratio(name), unit: "times", figures: figures("ratio") },
        { what: noise(name), unit: "times", figures: figures("noiseRatio") },
        { what: apart(name), unit: "standard errors", figures: figures("t") },
        { what: noiseApart(name), unit: "standard errors", figures: figures("noiseT") },
      );
      remarks.push(
        `With 95 % confidence, in ${name} a guess that is wrong in the last byte takes ${least.toFixed(4)} to ${most.toFixed(4)} times as long as one that is wrong in the first; for two classes that are the same these are ${low.toFixed(4)} to ${high.toFixed(4)}.`,
      );
    }
    return { rows, remarks } satisfies Findings;
  },
};
