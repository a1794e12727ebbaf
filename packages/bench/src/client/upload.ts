import { ratiosOf } from "../figures.ts";
import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Bench, Findings, Row, Subject } from "../subject.ts";
import { bundleProgram } from "./bundle.ts";
import { writeImages } from "./images.ts";
import { nameOf } from "./peers.ts";
import { uploaders } from "./uploaders.ts";

const rounds = 5;
const listening = /listening on (\S+)\n/;
const [fromFiles, fromMemory] = ["@tryon/client, from files", "@tryon/client, from memory"];
const memoryOf = (name: string): string => `${name}: peak memory, in times the images`;
const timesOf = (name: string): string => `${name}: in times naive`;

/** One way to upload, and what was found about it. */
interface Rival {
  readonly name: string;
  readonly memory: number[];
  readonly time: number[];
  /** What has to be said about its body. */
  readonly note: string | undefined;
}

/** What an upload of images as large as the service takes costs in memory and time. */
export const upload: Subject = {
  name: "upload",
  title: "An upload of four images of 10 MiB",
  how: 'Each run is a process of its own, which uploads a person and three garments to a server in another process, which reads all and keeps nothing. Peak memory is what the process had at most (`VmHWM`) during its first upload, over what it had before it began, in times the 41.9 MB of the images; from memory, the images are there before. The time is the middle of three more uploads. Naive is `JSON.stringify` of `toString("base64")`, sent by `fetch`; a time in times naive is taken round by round, from memory against from memory. Peers get the files as their guides say. Beforehand each uploads once to a server that parses what came and compares every image.',
  goals: [
    { row: memoryOf(fromFiles), kind: "at most", bound: 1.6 },
    { row: memoryOf(fromMemory), kind: "at most", bound: 2.7 },
    { row: timesOf(fromFiles), kind: "at most", bound: 0.5 },
    { row: timesOf(fromMemory), kind: "at most", bound: 0.5 },
  ],
  measure: async (bench) => {
    const { packages } = await bench.peers();
    const missing = (name: string): boolean =>
      /^(fashn|openai|replicate)/.test(name) &&
      !packages.some((peer) => name.startsWith(nameOf(peer)));
    const names = Object.keys(uploaders).filter((name) => !missing(name));
    const program = await bundleProgram(bench, "upload");
    const paths = await writeImages(await bench.processes.folder());
    const run = async (name: string, url: string, task: string): Promise<string> =>
      bench.processes.node([program, name, url, task, ...paths]).end();
    const notes = await withSink(bench, ["keep"], async (url) => {
      const found: (string | undefined)[] = [];
      for (const name of names) found.push(noteOf(name, await run(name, url, "check")));
      return found;
    });
    const rivals = names.map((name, index): Rival => {
      return { name, memory: [], time: [], note: notes[index] };
    });
    await withSink(bench, [], async (url) => {
      for (let round = 0; round < rounds; round += 1) {
        for (let turn = 0; turn < rivals.length; turn += 1) {
          const next = rivals[(round + turn) % rivals.length];
          if (next === undefined) continue;
          const printed = await run(next.name, url, "measure");
          next.memory.push(figureIn(printed, "memory"));
          next.time.push(figureIn(printed, "milliseconds"));
        }
      }
    });
    return { rows: rowsOf(rivals) } satisfies Findings;
  },
};

async function withSink<Result>(
  { processes }: Bench,
  args: readonly string[],
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const sink = startProgram(processes, "upload-sink", args);
  try {
    return await work(await sink.printed(listening));
  } finally {
    await sink.stop();
  }
}

/** @throws Error when an image did not arrive as it was. */
function noteOf(name: string, printed: string): string | undefined {
  const form = name.includes("form");
  if (!form && figureIn(printed, "complete") !== 1) {
    throw new Error(`Through ${name} not every image arrived.`);
  }
  const notes = [
    ...(form ? ["no base64"] : []),
    ...(figureIn(printed, "declared") === 1 ? [] : ["no Content-Length"]),
  ];
  return notes.length === 0 ? undefined : notes.join(", ");
}

function rowsOf(rivals: readonly Rival[]): readonly Row[] {
  const timesBy = (naive: string): readonly number[] =>
    rivals.find(({ name }) => name === naive)?.time ?? [];
  const row = (what: string, unit: Row["unit"], figures: readonly number[], rival: Rival): Row =>
    rival.note === undefined ? { what, unit, figures } : { what, unit, figures, note: rival.note };
  return [
    ...rivals.map((rival) => row(memoryOf(rival.name), "times", rival.memory, rival)),
    ...rivals.map((rival) => row(`${rival.name}: time`, "ms", rival.time, rival)),
    ...rivals
      .filter(({ name }) => !name.startsWith("naive"))
      .map((rival) => {
        const naive = rival.name.endsWith("memory") ? "naive, from memory" : "naive, from files";
        return row(timesOf(rival.name), "times", ratiosOf(rival.time, timesBy(naive)), rival);
      }),
  ];
}
