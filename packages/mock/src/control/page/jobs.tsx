import type { State } from "../routes/state-view.ts";
import { amount, dateTime, duration, fromNow } from "./format.ts";
import { page } from "./page-model.ts";
import { Card, Empty, More, Pill } from "./parts.tsx";

export type JobState = State["jobs"]["latest"][number];

const filters = {
  "": "All",
  queued: "Queued",
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
} as const;

/** Newest jobs of all keys. */
export function Jobs({ state }: { readonly state: State }) {
  const { counts, latest } = state.jobs;
  const all = counts.queued + counts.running + counts.succeeded + counts.failed;
  const totals: Readonly<Record<string, number>> = { ...counts, "": all };
  return (
    <Card name="jobs" title="Jobs" side={<Filters totals={totals} />}>
      {all === 0 ? (
        <Empty
          text="No jobs yet."
          hint="Submit one here, or send requests to this server from your app."
        />
      ) : (
        latest.length === 0 && <Empty text={`No job is ${page.status} now.`} />
      )}
      <ul class="rows">
        {latest.map((job) => (
          <li key={`${state.generation} ${job.job_id}`}>
            <JobRow job={job} state={state} />
          </li>
        ))}
      </ul>
      <More shown={latest.length} total={totals[page.status] ?? 0} />
    </Card>
  );
}

function Filters({ totals }: { readonly totals: Readonly<Record<string, number>> }) {
  return (
    <div class="filters" role="group" aria-label="Show jobs by status">
      {Object.entries(filters).map(([status, text]) => (
        <button
          key={status}
          type="button"
          aria-pressed={page.status === status}
          onClick={() => page.select({ status })}
        >
          {text}
          <span class="count">{amount(totals[status] ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}

interface JobProps {
  readonly job: JobState;
  readonly state: State;
}

function JobRow({ job, state: { now, generation } }: JobProps) {
  const src = imageUrl(generation, job.job_id);
  const cost = job.test_mode ? "test" : `${job.cost_credits} credits`;
  return (
    <a class="job" href={`#${job.job_id}`}>
      {job.result === null ? (
        <span class={`thumb ${job.status}`} aria-hidden="true" />
      ) : (
        <span class="thumb">
          <img key={src} src={src} alt="" width={48} height={64} loading="lazy" decoding="async" />
        </span>
      )}
      <span class="what">
        <span class="mono id">{job.job_id}</span>
        <span class="details">{[job.output_size, cost, job.api_key].join(" · ")}</span>
      </span>
      <span class="progress">
        <TimeLine job={job} now={now} />
        <span class="details">{progressText(job, now)}</span>
      </span>
      <span class="status">
        <Pill status={job.status} />
        <time title={`${dateTime(job.created_at)} UTC`}>{fromNow(job.created_at, now)}</time>
      </span>
    </a>
  );
}

/** Returns the URL of a job's image. Another server or generation may use the same id for another image. */
export function imageUrl(generation: number, jobId: string): string {
  return `/__mock/images/${encodeURIComponent(jobId)}.png?of=${page.reconnects}-${generation}`;
}

/** Queued and running time of a job as two parts of a line. */
export function TimeLine({ job, now }: { readonly job: JobState; readonly now: number }) {
  const end = job.completed_at ?? Math.max(now, job.due_at ?? now);
  const started = job.started_at ?? (job.status === "queued" ? end : job.created_at);
  const total = Math.max(1, end - job.created_at);
  const percent = (at: number): string => `${((at - job.created_at) / total) * 100}%`;
  const endless = job.status === "running" && job.due_at === null ? " endless" : "";
  return (
    <span
      class={`line ${job.status}${endless}`}
      style={{ "--waited": percent(started), "--ran": percent(Math.min(now, end)) }}
      aria-hidden="true"
    >
      <i class="waited" />
      <i class="ran" />
    </span>
  );
}

/** Returns the milliseconds in the queue. On a real clock a job starts a few milliseconds late. */
export function timeInQueue({ started_at: started, created_at: created }: JobState): number {
  const waited = (started ?? created) - created;
  return waited < 20 ? 0 : waited;
}

/** Describes the progress of a job. */
export function progressText(job: JobState, now: number): string {
  const started = job.started_at ?? job.created_at;
  const waited = timeInQueue(job);
  const queued = waited > 0 ? ` after ${duration(waited)} in the queue` : "";
  if (job.status === "queued") return `waiting for ${duration(now - job.created_at)}`;
  if (job.status === "running") {
    if (job.due_at === null) return "never ends";
    return `${duration(now - started)} of ${duration(job.due_at - started)}${queued}`;
  }
  const length = duration((job.completed_at ?? started) - started);
  return job.status === "failed" ? `${job.error_message ?? "failed"}, ${length}` : length + queued;
}
