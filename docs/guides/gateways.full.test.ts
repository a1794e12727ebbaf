import { isInstalled } from "@tryon/test-kit/installed-programs";
import { describe, it } from "vitest";

import { checkDeployment, configOf, openDeployment } from "./gateways.ts";

const timeout = 180_000;

describe.runIf(await isInstalled("nginx"))("nginx", () => {
  it("passes uploads, results, webhooks and pages, as the guide configures it", { timeout }, async () => {
    await checkDeployment(await openDeployment("nginx", configOf("nginx.conf")));
  });
});

describe.runIf(await isInstalled("haproxy"))("haproxy", () => {
  it("passes uploads, results, webhooks and pages, as the guide configures it", { timeout }, async () => {
    await checkDeployment(await openDeployment("haproxy", configOf("haproxy.cfg")));
  });
});
