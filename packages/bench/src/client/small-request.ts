import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Findings, Row, Subject } from "../subject.ts";
import { bundleProgram } from "./bundle.ts";
import { nameOf } from "./peers.ts";
import { callers } from "./small-callers.ts";

const rounds = 5;
const ours = "@tryon/client, all features on";
const alone = (name: string): string => `${name}, one call after another, in times bare fetch`;
const crowded = (name: string): string => `${name}, 50 at once, in times bare fetch`;
const ownWork = `${ours}, its own work in a call`;
const account = JSON.stringify({
  name: "bench",
  credits_remaining: 1_000,
  rate_limit_per_min: 10_000_000,
  total_calls: 1,
  tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
});

/** What a client adds to a call that does nothing much. */
export const smallRequest: Subject = {
  name: "small",
  title: "A small request through a client",
  how: "`GET /api/v1/account`, or the smallest read that a peer has, to a bare node:http server in another process, which answers the same JSON to everything. Each run is a process of its own for one client, in which blocks of 50 calls through the client and through bare `fetch` (with the same headers, reading JSON) take turns, after 500 calls of each that do not count; the figure of a run is the middle of the ratios of 25 pairs of blocks. Peers are as they come, with their address changed; all features on means retries, a logger, an abort signal, a deadline and a middleware that changes nothing. Its own work is the time of the processor, over a `fetch` that answers at once from memory, less what making and reading such an answer takes: the network has no part in it.",
  goals: [
    { row: alone(ours), kind: "at most", bound: 1.2 },
    { row: crowded(ours), kind: "at most", bound: 1.2 },
  ],
  measure: async (bench) => {
    const { packages } = await bench.peers();
    const names = Object.keys(callers).filter(
      (name) => name.startsWith("@tryon/") || packages.some((peer) => nameOf(peer) === name),
    );
    const program = await bundleProgram(bench, "small-request");
    const work = await bundleProgram(bench, "own-work");
    const server = startProgram(bench.processes, "bare-server", [account]);
    const rows = new Map<string, { unit: Row["unit"]; figures: number[] }>();
    const note = (what: string, unit: Row["unit"], figure: number): void => {
      const row = rows.get(what) ?? { unit, figures: [] };
      rows.set(what, row);
      row.figures.push(figure);
    };
    try {
      const url = await server.printed(/listening on (\S+)\n/);
      for (let round = 0; round < rounds; round += 1) {
        for (const name of names) {
          const printed = await bench.processes.node([program, name, url]).end();
          note("bare fetch, one call after another", "µs", figureIn(printed, "bare"));
          note("bare fetch, 50 at once", "µs", figureIn(printed, "crowdBare"));
          note(alone(name), "times", figureIn(printed, "times"));
          note(crowded(name), "times", figureIn(printed, "crowdTimes"));
        }
        const printed = await bench.processes.node([work, url, account]).end();
        note(ownWork, "µs", figureIn(printed, "microseconds"));
      }
    } finally {
      await server.stop();
    }
    return { rows: Array.from(rows, ([what, row]) => ({ what, ...row })) } satisfies Findings;
  },
};
