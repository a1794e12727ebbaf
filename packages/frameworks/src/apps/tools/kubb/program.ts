import * as api from "./client/index.ts";

export function createCalls(_baseUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
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
        { "Idempotency-Key": key },
        { headers: { ...headers, "Idempotency-Key": key } },
      ),
    get: (id: string) => api.getTryOn(id, { headers }),
    list: () => api.listTryOns({ limit: 5 }, { headers }),
    account: () => api.getAccount({ headers }),
    purchase: () =>
      api.purchaseCredits(
        { pack_slug: "demo", shared_payment_granted_token: "spt_token" },
        { headers },
      ),
  };
}
