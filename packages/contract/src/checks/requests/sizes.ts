import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import type { Fields } from "../../wire/response.ts";
import { mustTake, submissionCheck, visibleJob } from "./submission-check.ts";

const none = { output_size: undefined };

/** How the size may be written, and what it is without a word. A live key shows it by what a try-on costs. */
export const sizes: readonly Check[] = [
  submissionCheck({
    id: "output-size.any-case",
    title: "Takes sizes in lower case",
    rules: ["request.output-size.any-case"],
    taken: [
      ["output_size 1k", { output_size: "1k" }],
      ["resolution 2k", { ...none, resolution: "2k" }],
    ],
  }),
  submissionCheck({
    id: "output-size.aliases.known",
    title: "Reads resolution and size, so that it refuses a wrong one",
    rules: ["request.output-size.aliases"],
    refused: [
      ["resolution 8K", { ...none, resolution: "8K" }],
      ["size 8K", { ...none, size: "8K" }],
    ],
  }),
  costCheck({
    id: "output-size.lower-case-cost",
    title: "Makes of 2k what it makes of 2K",
    rules: ["request.output-size.any-case"],
    like: { output_size: "2K" },
    same: [{ output_size: "2k" }],
  }),
  costCheck({
    id: "output-size.aliases.used",
    title: "Goes by resolution and by size",
    rules: ["request.output-size.aliases"],
    like: { output_size: "2K" },
    same: [
      { ...none, resolution: "2K" },
      { ...none, size: "2K" },
    ],
  }),
  costCheck({
    id: "output-size.precedence",
    title: "Goes by output_size before resolution, and by that before size",
    rules: ["request.aliases.precedence"],
    like: { output_size: "1K" },
    same: [
      { output_size: "1K", resolution: "2K", size: "2K" },
      { ...none, resolution: "1K", size: "2K" },
    ],
  }),
  costCheck({
    id: "output-size.default",
    title: "Makes 1K of a submission that has no size",
    rules: ["request.output-size.default"],
    like: { output_size: "1K" },
    same: [none],
  }),
];

/** A check that submissions cost the same as another, whatever that may be. */
function costCheck(claim: {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly like: Fields;
  readonly same: readonly Fields[];
}): Check {
  const { id, title, rules, like, same } = claim;
  return {
    id,
    title,
    rules,
    level: "paid",
    on: "live",
    credits: [like, ...same].reduce((sum, fields) => sum + (dear(fields) ? 12 : 8), 0),
    async run(session) {
      const expected = await costOf(session, like);
      for (const fields of same) {
        const cost = await costOf(session, fields);
        const what = JSON.stringify(fields);
        must(
          cost === expected,
          `A submission with ${what} cost ${String(cost)}, and with ${JSON.stringify(like)} ${String(expected)}.`,
        );
      }
    },
  };
}

/** Whether a submission is paid for as 2K, which the first of its sizes says. */
function dear(fields: Fields): boolean {
  const [size] = ["output_size", "resolution", "size"].flatMap((name) => fields[name] ?? []);
  return size === "2K" || size === "2k";
}

/** What a submission cost, by the job: not every answer to a submission says it. */
async function costOf(session: Session, fields: Fields): Promise<unknown> {
  const answer = await mustTake(session, JSON.stringify(fields), fields);
  const jobId = jobIdOf(answer);
  return (await visibleJob(session, jobId))["cost_credits"];
}
