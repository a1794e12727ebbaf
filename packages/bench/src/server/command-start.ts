import { existsSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";

import { ratiosOf } from "../figures.ts";
import type { Processes } from "../processes.ts";
import type { Subject } from "../subject.ts";

const runs = 21;
const timesNode = "the command, in times of an empty Node";

/** The command from its start to its first answer. */
export const commandStart: Subject = {
  name: "command",
  title: "The start of `tryon-mock`",
  how: "The built command is started with `serve --port 0`, and called at the address that it prints; the time runs from before the process is made until its answer has come. In pairs with `node -e 0`, until it has ended.",
  goals: [{ row: timesNode, kind: "at most", bound: 4 }],
  measure: async ({ processes, root }) => {
    const command = join(root, "packages/mock/dist/cli.js");
    if (!existsSync(command)) {
      const note = "not built; npm run check builds it";
      return { rows: [{ what: timesNode, unit: "times", figures: [], note }] };
    }
    const [starts, empties]: [number[], number[]] = [[], []];
    for (let run = 0; run < runs; run += 1) {
      if (run % 2 === 0) empties.push(await empty(processes));
      starts.push(await start(processes, command));
      if (run % 2 === 1) empties.push(await empty(processes));
    }
    return {
      rows: [
        { what: "an empty Node", unit: "ms", figures: empties },
        { what: "the command, to its first answer", unit: "ms", figures: starts },
        { what: timesNode, unit: "times", figures: ratiosOf(starts, empties) },
      ],
    };
  },
};

async function empty(processes: Processes): Promise<number> {
  const begin = performance.now();
  await processes.node(["-e", "0"]).end();
  return performance.now() - begin;
}

async function start(processes: Processes, command: string): Promise<number> {
  const begin = performance.now();
  const program = processes.node([command, "serve", "--port", "0", "--quiet"]);
  await answered(await program.printed(/listening on (\S+)\n/));
  const took = performance.now() - begin;
  await program.stop();
  return took;
}

function answered(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`Got ${response.statusCode} in place of 200.`));
      }
      response.resume().once("end", resolve);
    }).once("error", reject);
  });
}
