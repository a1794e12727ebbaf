import * as api from "./client.ts";

export function createCalls(baseUrl: string, apiKey: string) {
  api.defaults.baseUrl = baseUrl;
  api.defaults.headers = { authorization: `Bearer ${apiKey}` };
  return {
    submit: async (key: string) => {
      const body = {
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
      } satisfies api.TryOnRequest;
      const response = await api.submitTryOn(body, { idempotencyKey: key });
      if (response.status !== 200) throw new Error(`The response was ${response.status}.`);
      // The type of metadata has null.
      const metadata = response.data.metadata;
      const isNull: null extends typeof metadata ? true : never = true;
      return isNull && response.data;
    },
    get: async (id: string) => (await api.getTryOn(id)).data,
    list: async () => (await api.listTryOns({ limit: 5 })).data,
    account: async () => (await api.getAccount()).data,
    purchase: async () =>
      (await api.purchaseCredits({ pack_slug: "demo", shared_payment_granted_token: "spt_token" }))
        .data,
  };
}
