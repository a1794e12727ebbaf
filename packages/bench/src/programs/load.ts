// Calls an address over some connections that are kept, for some time, and prints how many answers came a second. It
// speaks HTTP by itself: a whole client takes longer for a call than the servers that are measured here.
import { connect } from "node:net";

import { AnswerReader } from "../answer-reader.ts";

const [url = "", token = "", connections = "16", duration = "1000"] = process.argv.slice(2);
/** Left out of the count: connections are made in it, and a server that was idle wakes up. */
const warmUp = 300;

const { hostname, port, host, pathname } = new URL(url);
const call = Buffer.from(
  `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
);
const begin = performance.now() + warmUp;
const end = begin + Number(duration);
let answers = 0;

function keepCalling(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const reader = new AnswerReader();
    socket.once("connect", () => socket.write(call));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The server closed the connection.")));
    socket.on("data", (bytes) => {
      try {
        if (!reader.take(bytes)) return;
      } catch (error) {
        reject(error);
        return;
      }
      const now = performance.now();
      if (now >= begin) answers += 1;
      if (now < end) {
        socket.write(call);
        return;
      }
      resolve();
      socket.destroy();
    });
  });
}

await Promise.all(Array.from({ length: Number(connections) }, keepCalling));
process.stdout.write(
  JSON.stringify({ perSecond: (answers / (performance.now() - begin)) * 1_000 }),
);
