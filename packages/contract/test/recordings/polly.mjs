// Records with Polly, which replaces `fetch` or `http` of Node.
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import FetchAdapter from "@pollyjs/adapter-fetch";
import NodeHttpAdapter from "@pollyjs/adapter-node-http";
import { Polly } from "@pollyjs/core";
import FSPersister from "@pollyjs/persister-fs";

import { given, output, overHttp } from "./given.mjs";
import { scenario } from "./scenario.mjs";

for (const [name, { adapter, send }] of Object.entries({
  "polly-fetch": { adapter: FetchAdapter, send: (...args) => fetch(...args) },
  "polly-http": { adapter: NodeHttpAdapter, send: overHttp },
})) {
  const polly = new Polly(name, {
    adapters: [adapter],
    persister: FSPersister,
    persisterOptions: { fs: { recordingsDir: output } },
    logLevel: "silent",
    recordFailedRequests: true,
  });
  // Its nock ends the process on a body that is not JSON.
  await scenario({ ...given(), ...(send === overHttp && { malformed: null }) }, send);
  await polly.stop();
  // The folder of a recording has a hash in its name.
  const folder = readdirSync(output).find((one) => one.startsWith(`${name}_`));
  renameSync(join(output, folder, "recording.har"), join(output, `${name}.har`));
}
