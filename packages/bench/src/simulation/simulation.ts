import { spreadOf } from "../figures.ts";
import { numeral } from "../page.ts";
import type { Findings, Row, Subject, Table } from "../subject.ts";
import { callersPause } from "./fixed-polling.ts";
import { eachByItself, oneAtATime } from "./one-at-a-time.ts";
import { slowerBy, usualRunTimes } from "./run-times.ts";
import type { Tally } from "./tally.ts";
import { leastMakespan, trial, type Load } from "./trial.ts";
import { ourWays, ourWaysUntold, pollingWays, poolSize, type Way } from "./ways.ts";

/** Many jobs under a low limit. */
export const manyJobs: Load = { jobs: 1_000, limit: 60 };
/** One job at a time, so many for each seed, under a limit that nobody meets. */
export const singleJobs: Load = { jobs: 400, limit: 1_000_000 };
/** What chance is drawn from, once for each run of ours. */
export const seeds = [1, 2, 3, 4, 5];
/** Those who poll each job send so many requests that one run of theirs has to do. */
const oneSeed = seeds.slice(0, 1);

const { watched, held, webhooks } = ourWays;
const usual = "one watched job";
const paces = [
  [usual, 1],
  [`${usual}, a service 3 times as slow`, 3],
  [`${usual}, a service 3 times as fast`, 1 / 3],
] as const;

const makespanOf = (name: string): string => `${name}: makespan, in times the submissions alone`;
const requestsOf = (name: string): string => `${name}: requests a job`;
const refusalsOf = (name: string): string => `${name}: answers with 429`;
const delayOf = (name: string): string => `${name}: mean delay`;
const looksOf = (name: string): string => `${name}: looks`;

/** What it takes to have many jobs made, and to notice their ends. */
export const simulation: Subject = {
  name: "simulation",
  title: "1,000 jobs under a limit of 60 requests a minute",
  how: `On a virtual clock: the real clients and the real reference server in one process, between which each way takes 20 to 60 ms. The model takes log-normal times, 12 s in the median and 30 s for the slowest of twenty. The submissions alone take ${numeral(leastMakespan(manyJobs) / 60_000)} minutes, which the makespan, from the start to the last result, is compared with. The delay is that between the end of a job at the service and its result at the caller. Of ours, each figure is the middle one of ${seeds.length} runs with chance drawn anew; the same seed gives the same figures on any machine. The three that poll each job by itself are loops that do what the sources of @fal-ai/client 1.10.1, replicate 1.4.0 and fashn 0.11.1 do, ${poolSize} jobs at a time: they look at once and then after each pause; after a 429, to a look as to a submission, fal pauses for 1, 2, 4 s and so on whatever \`Retry-After\` says, and gives up after 3 more attempts at a submission or a result and 5 at a look; replicate makes 5 more attempts without any pause and gives up; fashn pauses for what \`Retry-After\` says if that is under a minute, else for 2, 4 and 6 s, and gives up after 3. What a client has given up its caller takes up again ${callersPause / 1_000} s later; the last column counts these. One watched job is submitted and waited for by itself, ${singleJobs.jobs} in a run, one after the other.`,
  goals: [
    { row: makespanOf(held.name), kind: "at most", bound: 1.1 },
    { row: requestsOf(held.name), kind: "at most", bound: 1.1 },
    { row: refusalsOf(held.name), kind: "at most", bound: 0 },
    { row: makespanOf(watched.name), kind: "at most", bound: 1.35 },
    { row: requestsOf(watched.name), kind: "at most", bound: 1.3 },
    { row: refusalsOf(watched.name), kind: "at most", bound: 0 },
    { row: delayOf(usual), kind: "at most", bound: 1.2 },
    { row: looksOf(usual), kind: "at most", bound: 6 },
  ],
  measure,
};

interface Trials {
  readonly way: Way;
  readonly tallies: readonly Tally[];
}

async function measure(): Promise<Findings> {
  const ours = [];
  for (const way of [held, watched, webhooks, ...ourWaysUntold]) {
    ours.push(await trialsOf(way, seeds));
  }
  const others = [];
  for (const way of pollingWays) others.push(await trialsOf(way, oneSeed));
  const rows = ours.filter(({ way }) => way === held || way === watched).flatMap(rowsOf);
  return {
    tables: [tableOf([...ours, ...others])],
    rows: [...rows, ...(await singleRows())],
    remarks: [
      "The loops were compared with the packages whose sources they follow, run on the same clock against the same server, 100 jobs each: fal made 30.0 requests a job and its loop 28.7, replicate 72.5 and its loop 71.1, fashn 4.20 as its loop did.",
    ],
  };
}

async function trialsOf(way: Way, drawn: readonly number[]): Promise<Trials> {
  const tallies = [];
  for (const seed of drawn) tallies.push(await trial(way, manyJobs, seed));
  return { way, tallies };
}

const columns: readonly (readonly [head: string, figure: (tally: Tally) => number])[] = [
  ["makespan, × the submissions", inTimesTheLeast],
  ["requests a job", ({ requestsPerJob }) => requestsPerJob],
  ["answers with 429", ({ refusals }) => refusals],
  ["mean delay, s", ({ meanDelay }) => meanDelay / 1_000],
  ["95 of 100 within, s", ({ p95Delay }) => p95Delay / 1_000],
  ["credits", ({ credits }) => credits],
  ["given up", ({ givenUp }) => givenUp],
];

function tableOf(trials: readonly Trials[]): Table {
  const lines = trials.map(({ way, tallies }) => [
    way.name,
    ...columns.map(([, figure]) => numeral(spreadOf(tallies.map(figure)).median)),
    String(tallies.length),
  ]);
  return { head: ["", ...columns.map(([head]) => head), "runs"], lines };
}

function rowsOf({ way: { name }, tallies }: Trials): readonly Row[] {
  return [
    { what: makespanOf(name), unit: "times", figures: tallies.map(inTimesTheLeast) },
    {
      what: requestsOf(name),
      unit: "requests",
      figures: tallies.map(({ requestsPerJob }) => requestsPerJob),
    },
    { what: refusalsOf(name), unit: "answers", figures: tallies.map(({ refusals }) => refusals) },
  ];
}

async function singleRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, slower] of paces) {
    const load = { ...singleJobs, runTimes: slowerBy(slower, usualRunTimes) };
    rows.push(...(await singleRowsOf(name, oneAtATime, load)));
  }
  const alone = `${usual}, by a client that has seen none before`;
  return [...rows, ...(await singleRowsOf(alone, eachByItself, singleJobs))];
}

async function singleRowsOf(name: string, work: Way["work"], load: Load): Promise<readonly Row[]> {
  const tallies = [];
  for (const seed of seeds) tallies.push(await trial({ work }, load, seed));
  return [
    { what: delayOf(name), unit: "s", figures: tallies.map(({ meanDelay }) => meanDelay / 1_000) },
    {
      what: looksOf(name),
      unit: "requests",
      figures: tallies.map(({ requestsPerJob }) => requestsPerJob - 1),
    },
  ];
}

function inTimesTheLeast({ makespan }: Tally): number {
  return makespan / leastMakespan(manyJobs);
}
