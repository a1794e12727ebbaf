import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";

import { ratiosOf } from "../figures.ts";
import { figureIn } from "../reading.ts";
import type { Findings, Subject } from "../subject.ts";
import { bundleProgram } from "./bundle.ts";
import { nameOf, peerPackages } from "./peers.ts";

const runs = 15;
const client = "@tryon/client";
const [openapiFetch] = peerPackages;
const times = `${client}, in times openapi-fetch`;

/** What an app pays in time when it starts. */
export const importTime: Subject = {
  name: "import",
  title: "The time to import a client",
  how: "Each run is a process of its own, a module that imports one built package and times that; the start of Node does not count. The packages take turns, in an order that moves on each round. The files are in the memory of the system.",
  goals: [{ row: times, kind: "at most", bound: 2 }],
  measure: async (bench) => {
    const { folder, packages } = await bench.peers();
    const built = existsSync(join(bench.client, "dist/index.js"));
    if (!built || packages.length === 0) {
      const note = built ? "openapi-fetch could not be installed here" : "the client is not built";
      return { rows: [{ what: times, unit: "times", figures: [], note }] };
    }
    // Found by its name, like the others.
    await mkdir(join(folder, "node_modules/@tryon"), { recursive: true });
    await symlink(bench.client, join(folder, "node_modules", client));
    const program = await bundleProgram(bench, "import-time");
    const rivals = [client, ...packages].map((what) => ({ what, figures: [] as number[] }));
    for (let run = 0; run < runs; run += 1) {
      for (let turn = 0; turn < rivals.length; turn += 1) {
        const next = rivals[(run + turn) % rivals.length];
        if (next === undefined) continue;
        const name = next.what === client ? client : nameOf(next.what);
        const printed = await bench.processes.node([program, name]).end();
        next.figures.push(figureIn(printed, "milliseconds"));
      }
    }
    const figuresOf = (name: string): readonly number[] =>
      rivals.find(({ what }) => what === name)?.figures ?? [];
    const ratios = ratiosOf(figuresOf(client), figuresOf(openapiFetch));
    return {
      rows: [
        ...rivals.map(({ what, figures }) => ({ what, unit: "ms" as const, figures })),
        { what: times, unit: "times", figures: ratios },
      ],
    } satisfies Findings;
  },
};
