import { createHmac, randomBytes } from "node:crypto";

/** Key with enough credits and requests for every benchmark. */
export const benchKey = { token: "svc_live_bench", credits: 1e9, rateLimitPerMinute: 1e9 };

export const jsonHeaders = {
  authorization: `Bearer ${benchKey.token}`,
  "content-type": "application/json",
};

/** Webhook secret of every verifier; some of them need base64 after the prefix. */
export const webhookSecret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

/** Creates a webhook event of exactly `bytes` bytes, 300 or more. */
export function createEvent(bytes: number): Buffer {
  const event = {
    event: "tryon.completed",
    job_id: "job_4fK9sQ2mZx7LbT1cVw8RnE3y",
    status: "succeeded",
    result_url: "https://results.example/job_4fK9sQ2mZx7LbT1cVw8RnE3y.png",
    error_code: null,
    error_message: null,
    duration_ms: 8_240,
    completed_at: "2026-03-01T12:00:08Z",
  };
  const line = "A line of a field that this version does not know.";
  // Each line adds two quotes and a comma; spaces fill the rest.
  const rest = bytes - JSON.stringify({ ...event, more: [] }).length;
  const more = Array<string>(Math.floor(rest / (line.length + 3))).fill(line);
  return Buffer.from(JSON.stringify({ ...event, more }).padEnd(bytes));
}

export const signEvent = (body: Buffer): string =>
  `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`;

/** Creates the header of a PNG, followed by zeros, which begin no chunk, and random bytes that no compression shortens. */
export function createImage(bytes: number): Buffer {
  const header = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64");
  return Buffer.concat([header, Buffer.alloc(8), randomBytes(bytes - header.length - 8)]);
}

const manyNames = (count: number, length: number): string =>
  Array.from({ length: count }, (_, at) => `"${String(at).padStart(length, "a")}":0`).join();

/** Creates a photo as JSON, and bodies of the same size that are costly to parse, by the names of their rows. */
export function costlyBodies(bytes: number): Readonly<Record<string, string>> {
  const garment_urls = ["https://shop.example/shirt.png"];
  const person_image_b64 = createImage((bytes * 3) / 4 - 300).toString("base64");
  return {
    photo: JSON.stringify({ person_image_b64, garment_urls, wait: false }).padEnd(bytes),
    "1.3 million names": `{${manyNames(bytes / 11, 7)}}`,
    "200 long names": `{${manyNames(200, bytes / 200 - 5)}}`,
    "opening brackets": "[".repeat(bytes),
  };
}
