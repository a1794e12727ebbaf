import { expect, it } from "vitest";

import { startGateway } from "./gateways.ts";
import { isInstalled } from "./installed-programs.ts";

it.runIf(await isInstalled("nginx"))(
  "fails with the reason if a gateway rejects its configuration",
  async () => {
    await expect(startGateway("nginx", "no_such_setting on;", { port: 1 })).rejects.toThrow(
      'unknown directive "no_such_setting"',
    );
  },
);
