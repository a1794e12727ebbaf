// The reference server in a process of its own, with a key that no run exhausts.
import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";

import { plentyKey } from "../plenty.ts";

const mock = createMock({ seed: "bench" });
await mock.createKey(plentyKey);
const { url } = await serve(mock);
process.stdout.write(`listening on ${url}\n`);
