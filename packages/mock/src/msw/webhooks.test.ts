import { createHmac } from "node:crypto";

import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { baseUrl, behindMsw, receiver } from "../../test/behind-msw.ts";
import { tryOn } from "../../test/caller.ts";

describe("a webhook of a server behind msw", () => {
  test("bypasses msw, signed and unchanged", async () => {
    const network = await receiver();
    const intercept = http.all("*", () => HttpResponse.text("intercepted"));
    const { mock, submitted } = behindMsw({}, baseUrl, [intercept]);
    const jobId = await submitted({ webhook_url: `${network.url}/hook` });
    await mock.clock.advance("2s");
    const { headers, body, path } = await network.first;
    expect(path).toBe("/hook");
    expect(JSON.parse(body)).toMatchObject({ job_id: jobId, status: "succeeded" });
    const signature = createHmac("sha256", mock.webhookSecret).update(body).digest("hex");
    expect(headers["x-service-signature"]).toBe(`sha256=${signature}`);
    expect(headers.accept ?? "").not.toContain("msw");
    expect(await mock.webhooks.deliveries(jobId)).toMatchObject([
      { state: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  test("bypasses msw even if msw started before the server was imported", async () => {
    const network = await receiver();
    const outer = setupServer(http.all("*", () => HttpResponse.text("intercepted")));
    outer.listen();
    onTestFinished(() => outer.close());
    // As in CommonJS, the server and the handlers each have a copy of what they share.
    vi.resetModules();
    const { createMock: createLate } = await import("../mock.ts");
    vi.resetModules();
    const { handlers: lateHandlers } = await import("./handlers.ts");
    const mock = createLate({ clock: "manual" });
    outer.use(...lateHandlers(mock, { baseUrl }));
    await fetch(`${baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.keys.test}`, "content-type": "application/json" },
      body: JSON.stringify(tryOn({ webhook_url: `${network.url}/hook` })),
    });
    await mock.clock.advance("2s");
    expect((await network.first).path).toBe("/hook");
  });

  test("can reach a handler if its sender is the global fetch", async () => {
    const hook = http.post(
      "https://shop.example/hook",
      () => new HttpResponse(null, { status: 418 }),
    );
    const { mock, submitted } = behindMsw({ sendWebhook: (request) => fetch(request) }, baseUrl, [
      hook,
    ]);
    const jobId = await submitted({ webhook_url: "https://shop.example/hook" });
    await mock.clock.advance("2s");
    const [delivery] = await mock.webhooks.deliveries(jobId);
    expect(delivery?.attempts[0]?.status).toBe(418);
  });
});
