// Has the client make calls over a `fetch` that answers at once, and prints what the client itself takes for one.
import { onFetch, type Caller } from "../client/small-callers.ts";
import { spreadOf } from "../figures.ts";

const [url = "", account = ""] = process.argv.slice(2);
const blocks = 20;
const callsInBlock = 800;
const warmUps = 8;

const headers = {
  "content-type": "application/json",
  "content-length": String(account.length),
  date: new Date().toUTCString(),
};
const answer = (): Promise<Response> => Promise.resolve(new Response(account, { headers }));
const client = onFetch(url, answer);
const bare: Caller = async () => (await answer()).json();

/** What the processor took for a call, in microseconds. */
async function block(call: Caller): Promise<number> {
  const begin = process.cpuUsage();
  for (let done = 0; done < callsInBlock; done += 1) await call();
  const { user, system } = process.cpuUsage(begin);
  // Timers that were taken back are let go at the turns of the event loop only.
  await new Promise(setImmediate);
  return (user + system) / callsInBlock;
}

const figures: number[] = [];
for (let turn = -warmUps; turn < blocks; turn += 1) {
  const figure = (await block(client)) - (await block(bare));
  if (turn >= 0) figures.push(figure);
}
process.stdout.write(JSON.stringify({ microseconds: spreadOf(figures).median }));
