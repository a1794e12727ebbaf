import type { Mock } from "@tryon/mock";

/** Submits a job with a webhook and returns its id. */
export async function submit(
  mock: Pick<Mock, "fetch" | "baseUrl">,
  token: string,
  webhookUrl: string,
): Promise<string> {
  const response = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      person_url: "https://shop.example/me.jpg",
      garment_urls: ["https://shop.example/shirt.png"],
      webhook_url: webhookUrl,
      wait: false,
    }),
  });
  if (!response.ok) throw new Error(`The submission failed with ${response.status}.`);
  // A submission returns an object with the id.
  return ((await response.json()) as { job_id: string }).job_id;
}
