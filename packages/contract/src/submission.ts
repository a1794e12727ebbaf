import { must, SkipCheck } from "./outcome.ts";
import { fieldsOf, type HttpResponse } from "./wire/response.ts";

/** @throws SkipCheck for a response to a submission that does not depend on its fields. */
export function skipUnlessJudged({ status }: HttpResponse): void {
  if (status === 402) {
    throw new SkipCheck("The key has too few credits for a submission. Use a key with more.");
  }
  if (status === 503) throw new SkipCheck("The service was unavailable (503); run it again.");
}

/** Returns the id of a submitted job. @throws CheckFailure when the submission was refused. */
export function jobIdOf(response: HttpResponse): string {
  skipUnlessJudged(response);
  must(
    response.status === 200,
    `Expected 200 for a good submission, got ${response.status}.`,
    response,
  );
  const id = fieldsOf(response.json)["job_id"];
  must(typeof id === "string", "The response to a submission has no job_id.", response);
  return id;
}
