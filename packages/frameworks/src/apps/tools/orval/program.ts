import * as api from "./client.ts";
import { SubmitTryOnBody } from "./zod.ts";

export function createCalls(_baseUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    submit: async (key: string) => {
      const body = SubmitTryOnBody.parse({
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
      });
      return (await api.submitTryOn(body, { headers: { ...headers, "Idempotency-Key": key } }))
        .data;
    },
    get: async (id: string) => (await api.getTryOn(id, { headers })).data,
    list: async () => (await api.listTryOns({ limit: 5 }, { headers })).data,
    account: async () => (await api.getAccount({ headers })).data,
    purchase: async () => {
      const body = { pack_slug: "demo", shared_payment_granted_token: "spt_token" } as const;
      return (await api.purchaseCredits(body, { headers })).data;
    },
  };
}
