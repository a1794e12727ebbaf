import { ratiosOf } from "../figures.ts";
import { plentyKey } from "../plenty.ts";
import { startProgram } from "../programs.ts";
import { figureIn } from "../reading.ts";
import type { Bench, Findings, Row, Subject } from "../subject.ts";
import { installPrism, prismPackage } from "./prism.ts";

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

const prismAsItComes = prismPackage;
const prismSilent = `${prismPackage}, silent`;
const timesPrism = "the reference server, in times Prism as it comes";
const missing = "could not be installed here";

/** One call over HTTP, beside the least that is possible and a mock server that reads the same contract. */
export const accountOverHttp: Subject = {
  name: "account",
  title: "`GET /api/v1/account` over HTTP",
  how: `Each server runs in a process of its own and is called over ${connections} connections that are kept, by a load generator on bare sockets in yet another process, for ${duration / 1_000} seconds a run; connections are made before the count. The servers take turns in one run, in an order that moves on each round. Every answer has to be 200. The reference server authenticates, counts calls against a rate limit of 10⁹ a minute, and keeps its journal. Bare node:http answers the same JSON as a constant. Prism answers an example of the same contract: once as \`prism mock spec/openapi.json\` comes, writing lines about each call into a pipe that is read, and once silent.`,
  goals: [{ row: timesPrism, kind: "at least", bound: 10 }],
  measure,
};

async function measure({ processes, root }: Bench): Promise<Findings> {
  const mock = startProgram(processes, "mock-server");
  const ours: Rival = rival("the reference server", await mock.printed(listening));
  const answer = await fetch(ours.url + path, {
    headers: { authorization: `Bearer ${plentyKey.token}` },
  });
  const bare = startProgram(processes, "bare-server", [await answer.text()]);
  const least = rival("bare node:http", await bare.printed(listening));
  const prism = await installPrism(processes, root);
  const peers =
    prism === undefined
      ? []
      : [
          rival(prismAsItComes, await prism.start("info")),
          rival(prismSilent, await prism.start("silent")),
        ];
  try {
    await takeTurns(processes, [least, ours, ...peers]);
  } finally {
    await Promise.all([mock.stop(), bare.stop(), prism?.stop()]);
  }
  return findingsOf(least, ours, peers);
}

function rival(what: string, url: string): Rival {
  return { what, url, figures: [] };
}

async function takeTurns(processes: Bench["processes"], rivals: readonly Rival[]): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < rivals.length; turn += 1) {
      const next = rivals[(round + turn) % rivals.length];
      next?.figures.push(await load(processes, next.url));
    }
  }
}

function findingsOf(least: Rival, ours: Rival, peers: readonly Rival[]): Findings {
  const row = ({ what, figures }: Rival): Row => ({ what, unit: "calls a second", figures });
  const ratio = (what: string, other: Rival | undefined): Row => ({
    what,
    unit: "times",
    figures: other === undefined ? [] : ratiosOf(ours.figures, other.figures),
    ...(other === undefined && { note: missing }),
  });
  return {
    rows: [
      row(least),
      row(ours),
      ...(peers.length > 0 ? peers.map(row) : [{ ...row(rival(prismPackage, "")), note: missing }]),
      ratio("the reference server, in times bare node:http", least),
      ratio(timesPrism, peers[0]),
      ratio("the reference server, in times Prism silent", peers[1]),
      {
        what: "bare node:http, in times Prism as it comes",
        unit: "times",
        figures: peers[0] === undefined ? [] : ratiosOf(least.figures, peers[0].figures),
        ...(peers[0] === undefined && { note: missing }),
      },
    ],
    remarks: [
      "What bounds it: in a profile of the reference server under this load, a third of its time is the kernel taking the answers, each of which wakes the caller, 13 % the turns of promises and of Node's own HTTP, 8 % the making of web `Request`, `Response` and `Headers`, 6 % the collection of garbage, and no function of the server's own is above 2 % by itself. The row of bare node:http, whose callers have no time to sleep, shows what a server without any rules could come to beside the same load generator.",
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
