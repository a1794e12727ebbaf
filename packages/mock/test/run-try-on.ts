import type { Mock } from "../src/mock.ts";

/** Submits, polls, loads the image and waits for the webhook, all through the global `fetch`. */
export async function runTryOn(mock: Mock, baseUrl: string, webhookUrl: string) {
  const call = async (path: string, key: string, body?: unknown) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // Each caller below compares fields of the contract's response.
    return { response, json: (await response.json()) as Record<string, string & number> };
  };
  const input = {
    person_url: "https://shop.example/me.jpg",
    garment_urls: ["https://shop.example/shirt.png"],
    wait: true,
    output_size: "1K",
  };
  const { live, test } = mock.keys;
  const { response, json } = await call("/api/v1/tryon", live, {
    ...input,
    webhook_url: webhookUrl,
  });
  const jobId = json["job_id"] ?? "";
  const { json: job } = await call(`/api/v1/tryon/${jobId}`, live);
  const image = await fetch(job["result_url"] ?? "");
  const { json: account } = await call("/api/v1/account", live);
  const { response: refused } = await call("/api/v1/account", "unknown");
  const { json: tested } = await call("/api/v1/tryon", test, input);
  return {
    mark: response.headers.get("x-mock"),
    jobId,
    status: job["status"] ?? "",
    resultUrl: job["result_url"] ?? "",
    complete: (await image.arrayBuffer()).byteLength === job["result_bytes"],
    credits: account["credits_remaining"] ?? Number.NaN,
    refused: refused.status,
    testCost: tested["cost_credits"] ?? Number.NaN,
    webhook: await delivered(mock, jobId),
  };
}

async function delivered(mock: Mock, jobId: string): Promise<readonly (number | null)[]> {
  for (;;) {
    const [delivery] = await mock.webhooks.deliveries(jobId);
    if (delivery !== undefined && delivery.state !== "pending") {
      return delivery.attempts.map(({ status }) => status);
    }
    await mock.clock.sleep(5);
  }
}
