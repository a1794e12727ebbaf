import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { receives } from "./shared-checks.ts";

export const checks: Checks = {
  "webhooks.ts": receives("await POST(request)"),
  "express.ts": async ({ snippet, run }) => {
    const call = `
      import { signedRequest } from "@tryon/webhooks";
      import type { AddressInfo } from "node:net";
      const server = app.listen(0, "127.0.0.1", async () => {
        const url = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}/webhooks/tryon\`;
        const event = { job_id: "job_abc" };
        const told = async (secret: string) => (await fetch(await signedRequest(event, { secret, url }))).status;
        console.log(await told("whsec_other"), await told(process.env.TRYON_WEBHOOK_SECRET ?? ""), results.has("job_abc"));
        server.close();
      });`;
    expect(await run(`${snippet.code}${call}`)).toBe("400 204 true\n");
  },
  "explain.ts": async ({ snippet, run }) => {
    expect(await run(snippet.code)).toMatch(/^secret_padded The secret has quotes[^\n]+\n$/);
  },
};
