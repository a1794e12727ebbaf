import { createApiClient } from "./client.ts";

export function createCalls(baseUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const api = createApiClient(baseUrl, { axiosConfig: { headers } });
  return {
    submit: (key: string) =>
      api.submitTryOn(
        {
          person_url: "https://shop.example/ada.jpg",
          garment_urls: ["https://shop.example/shirt.png"],
          size: "4K",
          mode: "async",
          metadata: { sku: "LS-204" },
        },
        { headers: { "Idempotency-Key": key } },
      ),
    get: (job_id: string) => api.getTryOn({ params: { job_id } }),
    list: () => api.listTryOns({ queries: { limit: 5 } }),
    account: () => api.getAccount(),
    purchase: () =>
      api.purchaseCredits({ pack_slug: "demo", shared_payment_granted_token: "spt_token" }),
  };
}
