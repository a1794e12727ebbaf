import { ConnectionError } from "../errors/connection-error.ts";
import { OutcomeUnknownError } from "../errors/outcome-error.ts";
import type { Charge, ChargePlan } from "../billing/charge.ts";
import { bookOf } from "../billing/spend-tracker.ts";
import type { CallOptions } from "../config/options.ts";
import { freezeBody, type Body } from "../http/submission-body.ts";
import { within, type Deadline } from "../http/deadline.ts";
import { isForgettable, Trail } from "../http/send-with-retries.ts";
import { describeInput } from "./describe-input.ts";
import { isCut } from "./sync-cut.ts";
import type { Job } from "./job.ts";
import { JobLife, type Parts } from "./job-record.ts";
import { readInput } from "./validate.ts";
import { JobList } from "./list.ts";
import type { PreparedInput } from "./prepare.ts";
import type { TimelineEntry } from "./result.ts";
import { longestSkew, serviceTime } from "./service-time.ts";
import type { Notify } from "./updates.ts";

/** What a submission is to be. */
interface SubmissionPlan {
  readonly input: PreparedInput;
  /** Whether the input is looked at before it is sent. */
  readonly validate: boolean;
  readonly idempotencyKey: string;
  readonly held: boolean;
  /** Whether the job can be known by its key in the list. */
  readonly marked: boolean;
  readonly charge: ChargePlan;
}

/** One logical submission: its key and its bytes are made once, and every attempt in every call sends them. */
interface Submission extends Omit<SubmissionPlan, "input" | "charge"> {
  readonly body: Body;
  readonly trail: Trail;
  readonly timeline: TimelineEntry[];
  /** What it takes of budgets; a new one when it is sent again after that was given up. */
  charge: Charge;
}

/** Submits, and never twice. */
export class Submitter {
  readonly #parts: Parts;
  /** False once something on the way has cut off an answer that was held. */
  holds = true;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async submit(plan: SubmissionPlan, deadline: Deadline, notify: Notify): Promise<JobLife> {
    const body = await this.#freeze(plan, deadline);
    deadline.throwIfAborted();
    const charge = await bookOf(this.#parts).begin(plan.charge, deadline);
    const { idempotencyKey } = plan;
    const timeline: TimelineEntry[] = [{ phase: "sending", at: deadline.clock.now() }];
    notify({ phase: "sending", idempotencyKey });
    return this.#send({ ...plan, body, trail: new Trail(), timeline, charge }, deadline, notify);
  }

  async #freeze(plan: SubmissionPlan, deadline: Deadline): Promise<Body> {
    const { input, validate, held } = plan;
    const { log } = this.#parts.settings();
    try {
      const read = await readInput(input, { validate, log }, deadline);
      log("debug", describeInput(read));
      return freezeBody(read, held);
    } catch (error) {
      if (!deadline.passed) throw error;
      throw new ConnectionError("timed_out", "The images were not read in time.", {
        hint: "Nothing was sent: raise timeout.",
      });
    }
  }

  async #send(submission: Submission, deadline: Deadline, notify: Notify): Promise<JobLife> {
    const { idempotencyKey, trail, timeline, held, charge } = submission;
    const book = bookOf(this.#parts);
    try {
      const data = await this.#parts.service.submit({
        ...submission,
        deadline,
        onRetry: (delay) => notify({ phase: "retrying", idempotencyKey, delay }),
        recover: (options) => this.#recover(submission, options),
      });
      const { headers, requestId } = deadline.answer ?? {};
      // An answer that is repeated to the first request that could make the job is that of an earlier submission.
      const replayed = headers?.get("idempotent-replayed") === "true" && trail.isFirst;
      book.answered(charge, data, replayed);
      return new JobLife(this.#parts, data, {
        idempotencyKey,
        attempts: trail.attempts,
        timeline,
        requestId: this.#parts.settings().redact(requestId) || undefined,
      });
    } catch (error) {
      book.failed(charge, trail.mayHaveMade);
      throw error;
    } finally {
      if (held && trail.attempts.some(isCut)) this.holds = false;
    }
  }

  #recover(submission: Submission, options: CallOptions = {}): Promise<Job> {
    const settings = this.#parts.settings();
    return within(settings, options, settings.timeout, async (deadline) => {
      if (isForgettable(submission.trail, settings, deadline.clock.now())) {
        return this.#find(submission, deadline);
      }
      submission.charge = await bookOf(this.#parts).again(submission.charge, deadline);
      return (await this.#send(submission, deadline, () => undefined)).job;
    });
  }

  /** Looks for the job in the list, where it is too late to send its submission again. */
  async #find(submission: Submission, deadline: Deadline): Promise<Job> {
    const { trail, idempotencyKey, marked } = submission;
    const oldest = (trail.uncertainSince ?? 0) - longestSkew;
    let cause: unknown;
    try {
      const jobs = marked ? new JobList(this.#parts, { signal: deadline.signal }) : [];
      for await (const job of jobs) {
        if (job.idempotencyKey === idempotencyKey) {
          bookOf(this.#parts).answered(submission.charge, job.data, false);
          return job;
        }
        if (serviceTime(job.data.created_at) < oldest) break;
      }
    } catch (error) {
      deadline.throwIfAborted();
      cause = error;
    }
    const why = marked ? "the list does not show its mark" : "its job has no mark";
    throw new OutcomeUnknownError(`The try-on may have been made, and ${why}.`, {
      hint: "It is not sent again: that could pay twice by now.",
      attempts: trail.attempts,
      idempotencyKey,
      recover: (options) => this.#recover(submission, options),
      cause,
    });
  }
}
