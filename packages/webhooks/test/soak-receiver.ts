// Program with a receiver that remembers 1,000 events. It prints its URL.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createMemoryStore } from "../src/index.ts";
import { createReceiver } from "../src/node/index.ts";

const receiver = createReceiver({
  secrets: "whsec_soak",
  store: createMemoryStore({ maxEvents: 1_000 }),
  onCompleted: () => undefined,
  onError: () => undefined,
});
const server = createServer((request, response) => void receiver(request, response));
server.listen(0, "127.0.0.1", () => {
  // It listens on a port, not on a pipe.
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
