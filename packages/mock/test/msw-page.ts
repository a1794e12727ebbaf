import { setupWorker } from "msw/browser";

import { createMock } from "../src/mock.ts";
import { handlers } from "../src/msw/handlers.ts";
import { abort, noticing } from "./aborted-requests.ts";
import { runTryOn } from "./run-try-on.ts";

/** Runs a try-on through the service worker, and returns its outcome to the test. */
async function tryOnInPage(baseUrl: string) {
  const mock = createMock({ latency: 0 });
  const { noticed, reached } = noticing(mock);
  const worker = setupWorker(...handlers(noticed, { baseUrl }));
  await worker.start({ quiet: true });
  const outcome = await runTryOn(mock, baseUrl, `${location.origin}/hook`);
  const unrelated = await (await fetch("/unrelated")).text();
  const image = new Image();
  image.src = outcome.resultUrl;
  await image.decode();
  const aborted = await abort(mock, baseUrl, reached, outcome.resultUrl);
  // msw 3 waits for requests in progress, including aborted ones: the server ends them.
  mock.close();
  await worker.stop();
  return { ...outcome, unrelated, aborted, width: image.naturalWidth, height: image.naturalHeight };
}

Object.assign(globalThis, { tryOnInPage });
