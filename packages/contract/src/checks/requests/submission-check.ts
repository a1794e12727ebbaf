import type { Check, Level } from "../../check.ts";
import { must } from "../../outcome.ts";
import { skipUnlessJudged } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";

/** A submission that differs from a good one, in words and in its fields. */
export type Variant = readonly [what: string, fields: Fields];

/** A claim about what submissions are taken and refused. */
export interface SubmissionClaim {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  /** @default "safe" */
  readonly level?: Level;
  readonly taken?: readonly Variant[];
  readonly refused?: readonly Variant[];
  /**
   * The statuses that count as a refusal.
   * @default either of the two that the document has for bad input: which of them it is has checks of its own
   */
  readonly statuses?: readonly number[];
}

/** What the document has for bad input. */
export const badInput = [400, 422] as const;

/** Makes a check of a claim: one submission for each variant. */
export function submissionCheck(claim: SubmissionClaim): Check {
  const { id, title, rules, level = "safe", taken = [], refused = [], statuses } = claim;
  return {
    id,
    title,
    rules,
    level,
    on: "any",
    credits: mostCredits([...taken, ...refused]),
    async run(session) {
      for (const [what, fields] of taken) await mustTake(session, what, fields);
      for (const [what, fields] of refused) await mustRefuse(session, what, fields, statuses);
    },
  };
}

/** What submissions cost if every one of them is taken. */
export function mostCredits(variants: readonly Variant[]): number {
  return variants.reduce((sum, [, { output_size: size }]) => {
    const cost = typeof size === "string" ? costs[size.toUpperCase()] : 8;
    return sum + (cost ?? 20);
  }, 0);
}

/** @throws Broken unless the submission is taken, Skip when that says nothing of its fields. */
export async function mustTake(
  session: Session,
  what: string,
  fields: Fields,
): Promise<HttpResponse> {
  const answer = await session.submit(fields);
  skipUnlessJudged(answer);
  must(
    answer.status === 200,
    `A submission with ${what} was answered ${answer.status}, and should be taken with 200.`,
    answer,
  );
  return answer;
}

/** @throws Broken unless the submission is refused. */
export async function mustRefuse(
  session: Session,
  what: string,
  fields: Fields,
  statuses: readonly number[] = badInput,
): Promise<HttpResponse> {
  const answer = await session.submit(fields);
  skipUnlessJudged(answer);
  mustBeRefused(`A submission with ${what}`, answer, statuses);
  return answer;
}

/** @throws Broken unless the answer is one of the refusals. */
export function mustBeRefused(
  what: string,
  answer: HttpResponse,
  statuses: readonly number[] = badInput,
): void {
  must(
    statuses.includes(answer.status),
    `${what} was answered ${answer.status}, and should be refused with ${statuses.join(" or ")}.`,
    answer,
  );
}

/** Asks for a job until it is there, for what its submission need not say. */
export async function visibleJob(session: Session, jobId: string): Promise<Fields> {
  return session.until(`${jobId} can be polled`, async () => {
    const answer = await session.poll(jobId);
    return answer.status === 200 ? fieldsOf(answer.json) : undefined;
  });
}
