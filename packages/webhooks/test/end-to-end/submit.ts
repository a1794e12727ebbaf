import type { Mock } from "@tryon/mock";

/** Submits a job that has its end told to an address; gives its id. */
export async function submit(
  mock: Pick<Mock, "fetch" | "baseUrl">,
  token: string,
  webhookUrl: string,
): Promise<string> {
  const answer = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      person_url: "https://shop.example/me.jpg",
      garment_urls: ["https://shop.example/shirt.png"],
      webhook_url: webhookUrl,
      wait: false,
    }),
  });
  if (!answer.ok) throw new Error(`The submission was answered ${answer.status}.`);
  // The body of a submission is an object with its id.
  return ((await answer.json()) as { job_id: string }).job_id;
}
