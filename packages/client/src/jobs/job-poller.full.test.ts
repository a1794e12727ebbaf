import { expect, it } from "vitest";

import { expectNothingLeft } from "../../test/abandoned-waits.ts";
import { createService } from "../../test/service.ts";

it("10,000 waits on one signal leave no timer, no listener and no request, however they end", async () => {
  const service = createService({ latency: "1h" });
  await expectNothingLeft(service, 10);
  expect(service.sent.length).toBeLessThan(60);
});
