import type { Mock } from "../src/mock.ts";

/** Wraps a server; `reached` resolves when a submission with an idempotency key arrives. */
export function noticing(mock: Mock): { noticed: Mock; reached: Promise<void> } {
  let note: (() => void) | undefined;
  const reached = new Promise<void>((resolve) => (note = resolve));
  const fetch: Mock["fetch"] = (resource, init) => {
    if (resource instanceof Request && resource.headers.has("idempotency-key")) note?.();
    return mock.fetch(resource, init);
  };
  return { noticed: { ...mock, fetch }, reached };
}

/** Aborts a synchronous submission and the download of an image; returns the error and the status of each job. */
export async function abort(mock: Mock, baseUrl: string, reached: Promise<void>, image: string) {
  const headers = { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" };
  const [submission, reading] = [new AbortController(), new AbortController()];
  const response = fetch(`${baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { ...headers, "idempotency-key": "aborted" },
    signal: submission.signal,
    body: JSON.stringify({
      person_url: "https://shop.example/me.jpg",
      garment_urls: ["https://shop.example/shirt.png"],
      prompt: "mock:never",
      wait: true,
    }),
  }).catch((error: unknown) => String(error));
  await reached;
  submission.abort(new Error("enough"));
  const download = await fetch(image, { signal: reading.signal });
  reading.abort(new Error("enough"));
  await download.arrayBuffer().catch(() => undefined);
  const list = await fetch(`${baseUrl}/api/v1/tryon`, { headers });
  // The contract's list has jobs, each with a status.
  const { jobs } = (await list.json()) as { jobs: { status: string }[] };
  return { error: await response, jobs: jobs.map(({ status }) => status).toSorted() };
}
