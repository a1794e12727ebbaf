// Records with nock.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import nock from "nock";

import { given, output, overHttp } from "./given.mjs";
import { scenario } from "./scenario.mjs";

for (const [name, send] of Object.entries({
  "nock-fetch": (...args) => fetch(...args),
  "nock-http": overHttp,
})) {
  nock.recorder.rec({
    output_objects: true,
    dont_print: true,
    enable_reqheaders_recording: true,
  });
  await scenario(given(), send);
  const recorded = nock.recorder.play();
  nock.recorder.clear();
  nock.restore();
  writeFileSync(join(output, `${name}.json`), JSON.stringify(recorded));
}
