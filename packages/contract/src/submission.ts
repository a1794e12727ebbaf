import { must, need } from "./outcome.ts";
import { fieldsOf, type HttpResponse } from "./wire/response.ts";

/** @throws SkipCheck for a response to a submission that does not depend on its fields. */
export function skipUnlessJudged({ status }: HttpResponse): void {
  need(status !== 402, "The key has too few credits for a submission. Use a key with more.");
  need(status !== 503, "The service was unavailable (503); run it again.");
}

export function jobIdOf(response: HttpResponse): string {
  skipUnlessJudged(response);
  const { status } = response;
  must(status === 200, `Expected 200 for a good submission, got ${status}.`, response);
  const id = fieldsOf(response.json)["job_id"];
  must(typeof id === "string", "The response to a submission has no job_id.", response);
  return id;
}

/** If true, a job never leaves this status. */
export function isEnd(status: unknown): boolean {
  return status === "succeeded" || status === "failed";
}
