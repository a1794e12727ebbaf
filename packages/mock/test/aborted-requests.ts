import type { Mock } from "../src/mock.ts";

/** A server that tells when a submission that never ends has reached it. */
export function noticing(mock: Mock): { noticed: Mock; reached: Promise<void> } {
  let note: (() => void) | undefined;
  const reached = new Promise<void>((resolve) => (note = resolve));
  const fetch: Mock["fetch"] = (resource, init) => {
    if (resource instanceof Request && resource.headers.has("idempotency-key")) note?.();
    return mock.fetch(resource, init);
  };
  return { noticed: { ...mock, fetch }, reached };
}

/** Leaves a submission that is held and an image that is read; says how each ended and what jobs there are now. */
export async function abort(mock: Mock, baseUrl: string, reached: Promise<void>, image: string) {
  const headers = { authorization: `Bearer ${mock.keys.live}`, "content-type": "application/json" };
  const [submission, reading] = [new AbortController(), new AbortController()];
  const held = fetch(`${baseUrl}/api/v1/tryon`, {
    method: "POST",
    headers: { ...headers, "idempotency-key": "leaving" },
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
  const answer = await fetch(image, { signal: reading.signal });
  reading.abort(new Error("enough"));
  await answer.arrayBuffer().catch(() => undefined);
  const list = await fetch(`${baseUrl}/api/v1/tryon`, { headers });
  // The contract's list has jobs, each with a status.
  const { jobs } = (await list.json()) as { jobs: { status: string }[] };
  return { held: await held, jobs: jobs.map(({ status }) => status).toSorted() };
}
