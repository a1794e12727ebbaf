import { isInstalled } from "@tryon/test-kit/installed-programs";
import { expect, it } from "vitest";

import { checkDeployment, guideConfig, openDeployment } from "./gateways.ts";

for (const gateway of ["nginx", "haproxy"] as const) {
  it.runIf(await isInstalled(gateway))(
    `passes uploads, results, webhooks and pages through ${gateway} with the settings of the guide`,
    { timeout: 180_000 },
    async () => {
      const deployment = await openDeployment(gateway, guideConfig(gateway));
      await checkDeployment(deployment);
      expect(await deployment.charged()).toBe(40);
    },
  );
}
