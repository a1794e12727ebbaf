import { sign } from "../src/index.ts";

export const secret = "whsec_test";

/** Text with characters of several bytes. */
export const unicodeText = "😀 kein Träger 鍵";

/** Text of an event, and its headers. */
export const completed = JSON.stringify({
  event: "tryon.completed",
  job_id: "job_1",
  status: "succeeded",
});
export const completedHeaders = {
  "X-Service-Signature": await sign({ body: completed, secret }),
};

export interface SignedEvent {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export async function signedEvent(job_id: string, error_code?: string): Promise<SignedEvent> {
  const fields = { job_id, status: "failed", error_code, error_message: unicodeText };
  const body = Buffer.from(JSON.stringify({ event: "tryon.completed", ...fields }));
  const signature = await sign({ body, secret });
  const headers = {
    "content-type": "application/json",
    "x-service-event": "tryon.completed",
    "x-service-job-id": job_id,
    "x-service-signature": signature,
  };
  return { body, headers };
}
