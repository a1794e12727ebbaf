import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { safeVerify } from "@tryon/webhooks";
import { images } from "./program-context.ts";

/** Makes a try-on against a server in this process, which sends a webhook. */
export async function run(): Promise<unknown> {
  const hooks: string[] = [];
  const mock = createMock({
    latency: 0,
    sendWebhook: async (request) => {
      const outcome = await safeVerify({ body: request, secrets: "whsec_mock" });
      hooks.push(outcome.ok ? String(outcome.event.status) : outcome.code);
      return new Response(null, { status: 204 });
    },
  });
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const { image } = await tryon.run({
    ...images,
    webhook_url: "https://shop.example/hook",
  });
  const { credits_remaining } = await tryon.account.get();
  const png = await image.bytes();
  while (hooks.length === 0) await mock.clock.sleep(5);
  mock.close();
  return [png[1] === 80, credits_remaining, hooks, mock.keys.test];
}
