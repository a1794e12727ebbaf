import { createClient } from "./client/client";
import * as sdk from "./client/sdk.gen";
import { zTryOnRequest } from "./client/zod.gen";

export function createCalls(baseUrl: string, auth: string) {
  const client = createClient({ baseUrl, auth, throwOnError: true });
  return {
    submit: async (key: string) => {
      const body = zTryOnRequest.parse({
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
      });
      return (await sdk.submitTryOn({ client, body, headers: { "Idempotency-Key": key } })).data;
    },
    get: async (job_id: string) => (await sdk.getTryOn({ client, path: { job_id } })).data,
    list: async () => (await sdk.listTryOns({ client, query: { limit: 5 } })).data,
    account: async () => (await sdk.getAccount({ client })).data,
    purchase: async () => {
      const body = { pack_slug: "demo", shared_payment_granted_token: "spt_token" } as const;
      return (await sdk.purchaseCredits({ client, body })).data;
    },
  };
}
