import { must, SkipCheck } from "./outcome.ts";
import { fieldsOf, type HttpResponse } from "./wire/response.ts";

/** @throws Skip for an answer to a submission that says nothing of what was submitted. */
export function skipUnlessJudged({ status }: HttpResponse): void {
  if (status === 402) {
    throw new SkipCheck(
      "The key has too few credits left for a submission; give one that has more.",
    );
  }
  if (status === 503) throw new SkipCheck("The service was unavailable (503); run it again.");
}

/** The id of a job that was submitted. @throws Broken when the submission was refused. */
export function jobIdOf(answer: HttpResponse): string {
  skipUnlessJudged(answer);
  must(answer.status === 200, `A good submission was answered ${answer.status}.`, answer);
  const id = fieldsOf(answer.json)["job_id"];
  must(typeof id === "string", "The answer to a submission has no job_id.", answer);
  return id;
}
