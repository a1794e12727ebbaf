import { Api, type TryOnRequest } from "./client/Api.ts";

export function createCalls(baseUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { api } = new Api({ baseUrl, baseApiParams: { headers, format: "json" } });
  return {
    submit: async (key: string) => {
      const body: TryOnRequest = {
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
      };
      const params = { headers: { ...headers, "Idempotency-Key": key } };
      return (await api.submitTryOn(body, params)).data;
    },
    get: async (id: string) => (await api.getTryOn(id)).data,
    list: async () => (await api.listTryOns({ limit: 5 })).data,
    account: async () => (await api.getAccount()).data,
    purchase: async () => {
      const body = { pack_slug: "demo", shared_payment_granted_token: "spt_token" } as const;
      return (await api.purchaseCredits(body)).data;
    },
  };
}
