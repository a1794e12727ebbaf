import { setupServer } from "msw/node";

import { createMock } from "../src/mock.ts";
import { handlers } from "../src/msw/handlers.ts";
import { abort, noticing } from "./aborted-requests.ts";
import { runTryOn } from "./run-try-on.ts";

/** Runs a try-on behind msw, given the URL of a server on this machine, and prints its outcome. */
async function main(network = ""): Promise<void> {
  const mock = createMock({ latency: 0 });
  const { noticed, reached } = noticing(mock);
  const baseUrl = "https://api.tryon.example";
  const server = setupServer(...handlers(noticed, { baseUrl }));
  server.listen();
  const outcome = await runTryOn(mock, baseUrl, `${network}/hook`);
  const unrelated = await (await fetch(`${network}/unrelated`)).text();
  const aborted = await abort(mock, baseUrl, reached, outcome.resultUrl);
  server.close();
  mock.close();
  process.stdout.write(JSON.stringify({ ...outcome, unrelated, aborted }));
}

void main(process.argv[2]);
