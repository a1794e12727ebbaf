import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import type { HttpResponse } from "../../wire/response.ts";

/** Ways for a job to fail that a reference server can be told. */
export type Failure = "content_blocked" | "model_rejected" | "storage_failed";

/** Submits a try-on that is made to fail, and gives the answer to the poll after its end. @throws Skip without control. */
export async function failedJob(
  session: Session,
  key: Key,
  outcome: Failure,
): Promise<HttpResponse> {
  await session.control.post("next-job", { outcome, api_key: key.token });
  return session.whole({}, { key });
}
