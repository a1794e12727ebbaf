// Calls an address over some connections that are kept, for some time, and prints how many answers came a second.
import { Agent, request } from "node:http";

const [url = "", token = "", connections = "16", duration = "1000"] = process.argv.slice(2);
/** Left out of the count: connections are made in it, and a server that was idle wakes up. */
const warmUp = 300;

const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = { authorization: `Bearer ${token}` };
const begin = performance.now() + warmUp;
const end = begin + Number(duration);
let answers = 0;

function call(): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`Got ${response.statusCode} in place of 200.`));
      }
      response.resume();
      response.once("end", resolve);
      response.once("error", reject);
    });
    sent.once("error", reject);
    sent.end();
  });
}

async function keepCalling(): Promise<void> {
  for (let now = performance.now(); now < end; now = performance.now()) {
    await call();
    if (now >= begin) answers += 1;
  }
}

await Promise.all(Array.from({ length: Number(connections) }, keepCalling));
agent.destroy();
process.stdout.write(
  JSON.stringify({ perSecond: (answers / (performance.now() - begin)) * 1_000 }),
);
