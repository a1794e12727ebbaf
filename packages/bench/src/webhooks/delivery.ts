export const jobId = "job_4fK9sQ2mZx7LbT1cVw8RnE3y";

const event = {
  event: "tryon.completed",
  job_id: jobId,
  status: "succeeded",
  result_url: `https://results.example/${jobId}.png`,
  error_code: null,
  error_message: null,
  duration_ms: 8_240,
  completed_at: "2026-03-01T12:00:08Z",
};
const line = "A line of some field that this version does not know.";

/** The webhook secret of all verifiers; the part after the prefix is base64, as some of them want it. */
export const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

/**
 * A signed event of so many bytes, filled with lines of a field that is not known.
 *
 * @throws RangeError for fewer bytes than an event has.
 */
export function eventOf(bytes: number): Buffer {
  const without = Buffer.byteLength(JSON.stringify({ ...event, more: [""] }));
  if (bytes < without) throw new RangeError(`An event has at least ${without} bytes.`);
  const left = bytes - without;
  // Each line but the last has two quotes and a comma besides.
  const whole = Math.floor(left / (line.length + 3));
  const lines = Array.from({ length: whole }, () => line);
  const more = [...lines, "x".repeat(left - whole * (line.length + 3))];
  return Buffer.from(JSON.stringify({ ...event, more }));
}

/** The headers of a delivery as Node gives them, with those that most requests have. */
export function headersOf(body: Buffer, more: Readonly<Record<string, string>>) {
  return {
    host: "shop.example",
    "user-agent": "service/1",
    accept: "*/*",
    "accept-encoding": "gzip, deflate",
    "content-type": "application/json",
    "content-length": String(body.length),
    connection: "keep-alive",
    ...more,
  };
}
