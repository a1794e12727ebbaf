// Makes small requests through one client and through bare fetch in turns, and prints how long a call took in the middle
// and how many times as long as one of bare fetch: one after another, and many at once.
import { bareFetch, callers, type Caller } from "../client/small-callers.ts";
import { ratiosOf, spreadOf } from "../figures.ts";

const [name = "", url = ""] = process.argv.slice(2);
const atOnce = 50;
const blocks = 25;
const callsInBlock = 50;
const warmUps = 10;

const make = Object.entries(callers).find(([known]) => known === name)?.[1];
if (make === undefined) throw new Error(`There is no ${name} among the callers.`);
const [bare, peer] = [bareFetch(url), await make(url)];

async function block(call: Caller, width: number): Promise<number> {
  const begin = performance.now();
  const calling = async (): Promise<void> => {
    for (let done = 0; done < callsInBlock; done += width) await call();
  };
  await Promise.all(Array.from({ length: width }, calling));
  return ((performance.now() - begin) * 1_000) / callsInBlock;
}

async function compare(width: number) {
  const figures = { peer: [] as number[], bare: [] as number[] };
  for (let turn = -warmUps; turn < blocks; turn += 1) {
    const first = turn % 2 === 0 ? await block(bare, width) : undefined;
    const measured = await block(peer, width);
    const other = first ?? (await block(bare, width));
    if (turn < 0) continue;
    figures.peer.push(measured);
    figures.bare.push(other);
  }
  const times = spreadOf(ratiosOf(figures.peer, figures.bare)).median;
  return { own: spreadOf(figures.peer).median, bare: spreadOf(figures.bare).median, times };
}

const alone = await compare(1);
const crowd = await compare(atOnce);
process.stdout.write(
  JSON.stringify({
    own: alone.own,
    bare: alone.bare,
    times: alone.times,
    crowdOwn: crowd.own,
    crowdBare: crowd.bare,
    crowdTimes: crowd.times,
  }),
);
// Clients that keep connections open would keep this program alive.
process.exit();
