#!/usr/bin/env bash
# event-source-plus 0.1.15 and @microsoft/fetch-event-source 2.0.1: a POST whose events are read is sent again.
#
# Expected: a POST is sent once. Both libraries exist because EventSource cannot send a body.
# What happens: event-source-plus sends the POST again each time the stream has ended in full.
# It goes on after the final event, until the app aborts. Its option for this has "always" as its default.
# fetch-event-source ends with the stream. But it aborts when the page is hidden, and sends the POST again when it is visible.
# Why it matters: a customer reads a message while the try-on runs, and returns to the page.
# That is a second, charged try-on, unless the app sets a fixed idempotency key. Only the last result is shown.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent event-source-plus@0.1.15 @microsoft/fetch-event-source@2.0.1

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { EventSourcePlus } from "event-source-plus";

for (const name of ["event-source-plus", "@microsoft/fetch-event-source"]) {
  console.log(`${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version}`);
}
// The tab of a customer: the library uses the page's events and timers.
const page = new EventTarget();
page.hidden = false;
globalThis.document = page;
globalThis.window = { setTimeout, clearTimeout, fetch };
const setHidden = (hidden) => {
  page.hidden = hidden;
  page.dispatchEvent(new Event("visibilitychange"));
};
const { fetchEventSource } = await import("@microsoft/fetch-event-source");

let submissions = 0;
let finish;
const server = createServer((request, response) => {
  const job = `job_${(submissions += 1)}`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${job} running\n\n`);
  finish = () => response.end(`data: ${job} succeeded\n\n`);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/tryon`;
const submission = { method: "POST", body: "{}" };

let events = [];
await new Promise((resolve) => {
  const controller = new EventSourcePlus(url, submission).listen({
    onMessage: ({ data }) => {
      events.push(data);
      if (data === "job_3 running") {
        controller.abort();
        resolve();
      } else if (data.endsWith("running")) {
        finish();
      }
    },
  });
});
console.log(`event-source-plus: ${submissions} submissions before the app aborted; ${events.join(", ")}`);

for (const leaves of [false, true]) {
  submissions = 0;
  events = [];
  await fetchEventSource(url, {
    ...submission,
    onmessage: ({ data }) => {
      events.push(data);
      if (leaves && data === "job_1 running") {
        setHidden(true);
        setHidden(false);
      } else if (data.endsWith("running")) {
        finish();
      }
    },
  });
  console.log(
    `fetch-event-source, ${leaves ? "page hidden for a moment" : "page visible"}: ${submissions} submissions; ${events.join(", ")}`,
  );
}
server.close();
server.closeAllConnections();
PROGRAM

cat > expected.txt <<'OUTPUT'
event-source-plus 0.1.15
@microsoft/fetch-event-source 2.0.1
event-source-plus: 3 submissions before the app aborted; job_1 running, job_1 succeeded, job_2 running, job_2 succeeded, job_3 running
fetch-event-source, page visible: 1 submissions; job_1 running, job_1 succeeded
fetch-event-source, page hidden for a moment: 2 submissions; job_1 running, job_2 running, job_2 succeeded
OUTPUT

node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
