import { ratiosOf } from "../figures.ts";
import { plentyKey } from "../plenty.ts";
import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Bench, Findings, Row, Subject } from "../subject.ts";
import { prismPackage, startPrism } from "./prism.ts";

const rounds = 7;
const connections = 16;
const duration = 1_500;
const path = "/api/v1/account";
const listening = /listening on (\S+)\n/;

/** A server that takes its turn. */
interface Rival {
  readonly what: string;
  readonly url: string;
  readonly figures: number[];
}

const timesPrism = "the reference server, in times Prism";

/** One call over HTTP, beside the least that is possible and a mock server that reads the same contract. */
export const accountOverHttp: Subject = {
  title: "`GET /api/v1/account` over HTTP",
  how: `Each server runs in a process of its own and is called over ${connections} connections that are kept, by a load generator on node:http in yet another process, for ${duration / 1_000} seconds a run; connections are made before the count. The servers take turns in one run, in an order that moves on each round. Every answer has to be 200. The reference server authenticates, counts calls against a rate limit of 10⁹ a minute, and keeps its journal. Bare node:http answers the same JSON as a constant. Prism answers an example of the same contract, silently.`,
  goal: { row: timesPrism, kind: "at least", bound: 10 },
  measure,
};

async function measure({ processes, root }: Bench): Promise<Findings> {
  const mock = startProgram(processes, "mock-server");
  const mockUrl = await mock.printed(listening);
  const answer = await fetch(mockUrl + path, {
    headers: { authorization: `Bearer ${plentyKey.token}` },
  });
  const bare = startProgram(processes, "bare-server", [await answer.text()]);
  const prism = await startPrism(processes, root);
  const ours: Rival = { what: "the reference server", url: mockUrl, figures: [] };
  const least: Rival = { what: "bare node:http", url: await bare.printed(listening), figures: [] };
  const peer: Rival = {
    what: prismPackage,
    url: "url" in prism ? prism.url : "",
    figures: [],
  };
  const rivals = "url" in prism ? [least, ours, peer] : [least, ours];
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (let turn = 0; turn < rivals.length; turn += 1) {
        const rival = rivals[(round + turn) % rivals.length];
        rival?.figures.push(await load(processes, rival.url));
      }
    }
  } finally {
    await Promise.all([mock.stop(), bare.stop(), ...("url" in prism ? [prism.stop()] : [])]);
  }
  const row = ({ what, figures }: Rival): Row => ({ what, unit: "calls a second", figures });
  const missing = "problem" in prism ? { note: prism.problem } : {};
  return {
    rows: [
      row(least),
      row(ours),
      { ...row(peer), ...missing },
      {
        what: "the reference server, as a share of bare node:http",
        unit: "times",
        figures: ratiosOf(ours.figures, least.figures),
      },
      {
        what: timesPrism,
        unit: "times",
        figures: "url" in prism ? ratiosOf(ours.figures, peer.figures) : [],
        ...missing,
      },
    ],
  };
}

async function load(processes: Bench["processes"], url: string): Promise<number> {
  const program = startProgram(processes, "load", [
    url + path,
    plentyKey.token,
    String(connections),
    String(duration),
  ]);
  return figureIn(await program.end(), "perSecond");
}
