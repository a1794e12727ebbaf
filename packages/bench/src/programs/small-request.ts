// Compares one client with bare fetch: one call at a time, and 50 at once.
import { bareFetch, clients, type Caller } from "../candidates/clients.ts";
import { timeInTurns } from "../candidates/time-in-turns.ts";

const [name = "", url = ""] = process.argv.slice(2);
const client = await clients[name]?.(url);
if (client === undefined) throw new RangeError(`There is no client ${name}.`);
const candidates = { "bare fetch": bareFetch(url), [name]: client };

const width = 50;
const atOnce = (caller: Caller) => () => Promise.all(Array.from({ length: width }, caller));
const crowds = Object.fromEntries(
  Object.entries(candidates).map(([row, caller]) => [row, atOnce(caller)]),
);
const single = await timeInTurns(candidates, { calls: 50, turns: 31, warmUps: 12 });
const crowded = await timeInTurns(crowds, { calls: 2, turns: 31, warmUps: 8 });
process.stdout.write(
  JSON.stringify({
    time: single.medians(),
    ratio: single.ratios("bare fetch"),
    crowdedRatio: crowded.ratios("bare fetch"),
  }),
);
// Kept connections would keep this process running.
process.exit();
