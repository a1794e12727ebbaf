import createClient from "openapi-fetch";
import type { paths } from "./client.ts";

export function createCalls(baseUrl: string, apiKey: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${apiKey}` } });
  return {
    submit: async (key: string) => {
      const params = { header: { "Idempotency-Key": key } };
      return (
        await client.POST("/api/v1/tryon", {
          params,
          body: {
            person_url: "https://shop.example/ada.jpg",
            garment_urls: ["https://shop.example/shirt.png"],
            size: "4K",
            mode: "async",
            metadata: { sku: "LS-204" },
          },
        })
      ).data;
    },
    get: async (job_id: string) =>
      (await client.GET("/api/v1/tryon/{job_id}", { params: { path: { job_id } } })).data,
    list: async () => (await client.GET("/api/v1/tryon")).data,
    account: async () => (await client.GET("/api/v1/account")).data,
    purchase: async () =>
      (
        await client.POST("/api/v1/credits/purchase", {
          body: { pack_slug: "demo", shared_payment_granted_token: "spt_token" },
        })
      ).data,
  };
}
