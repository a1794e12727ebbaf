import { setupServer } from "msw/node";

import { createMock } from "../src/mock.ts";
import { handlers } from "../src/msw/handlers.ts";
import { abort, noticing } from "./aborted-requests.ts";
import { wholeTryOn } from "./whole-try-on.ts";

/** Started with the address of a server on this machine: does a try-on behind msw and prints what came of it. */
async function main(network = ""): Promise<void> {
  const mock = createMock({ latency: 0 });
  const { noticed, reached } = noticing(mock);
  const baseUrl = "https://api.tryon.example";
  const server = setupServer(...handlers(noticed, { baseUrl }));
  server.listen();
  const outcome = await wholeTryOn(mock, baseUrl, `${network}/hook`);
  const unrelated = await (await fetch(`${network}/unrelated`)).text();
  const left = await abort(mock, baseUrl, reached, outcome.resultUrl);
  server.close();
  mock.close();
  process.stdout.write(JSON.stringify({ ...outcome, unrelated, left }));
}

void main(process.argv[2]);
