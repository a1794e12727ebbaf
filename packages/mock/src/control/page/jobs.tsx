import type { State } from "../routes/state-view.ts";
import { amount, counted, dateTime, duration, fromNow, joinTexts } from "./format.ts";
import { Card, List, Pill } from "./parts.tsx";

type JobState = State["jobs"]["latest"][number];

export function Jobs({ jobs: { counts, latest }, now, generation }: State) {
  const parts = Object.entries(counts).map(([status, count]) => count > 0 && `${count} ${status}`);
  const total = Object.values(counts).reduce((sum, count) => sum + count);
  return (
    <Card name="jobs" title="Jobs" side={<span class="muted">{joinTexts(", ", ...parts)}</span>}>
      <List
        text="No jobs yet."
        hint="Submit one here, or send requests to this server from your app."
        rows={latest.map((job) => (
          <JobRow key={job.job_id} job={job} now={now} generation={generation} />
        ))}
        total={total}
        generation={generation}
      />
    </Card>
  );
}

interface JobProps {
  readonly job: JobState;
  readonly now: number;
  readonly generation: number;
}

function JobRow({ job, now, generation }: JobProps) {
  const src = `/__mock/images/${encodeURIComponent(job.job_id)}.png?of=${generation}`;
  const cost = job.test_mode ? "test" : counted(job.cost_credits, "credit");
  return (
    <details>
      <summary class="job">
        <span class={`thumb muted ${job.status}`} aria-hidden="true">
          {job.result && (
            <img src={src} alt="" width={48} height={64} loading="lazy" decoding="async" />
          )}
        </span>
        <span class="what">
          <span class="mono id cut">{job.job_id}</span>
          <span class="details cut">{[job.output_size, cost, job.api_key].join(" · ")}</span>
        </span>
        <span class="progress">
          <Progress job={job} now={now} />
          <span class="details cut">{progressText(job, now)}</span>
        </span>
        <span class="status">
          <Pill status={job.status} />
          <time class="details" title={`${dateTime(job.created_at)} UTC`}>
            {fromNow(job.created_at, now)}
          </time>
        </span>
      </summary>
      {/* A link to this id opens the row. */}
      <div class="inside of-job" id={job.job_id}>
        {job.result && (
          <a class="image" href={src} target="_blank" rel="noopener">
            <img
              src={src}
              width={job.result.width}
              height={job.result.height}
              loading="lazy"
              alt="Result of the try-on"
            />
          </a>
        )}
        <Facts {...job} />
      </div>
    </details>
  );
}

/** Running time of a job. Without a value, the bar moves without end. */
function Progress({ job, now }: Omit<JobProps, "generation">) {
  const { status, started_at: started, due_at: due } = job;
  const isTimed = status === "running" && due !== null && started !== null;
  const running = isTimed ? { value: now - started, max: due - started } : {};
  const values = status === "running" ? running : { value: status === "queued" ? 0 : 1 };
  return <progress key={status} class={status} {...values} aria-hidden="true" />;
}

function progressText(job: JobState, now: number): string {
  const { status, created_at: created, started_at: started, due_at: due } = job;
  if (status === "queued" || started === null) return `waiting for ${duration(now - created)}`;
  if (status === "running") {
    return due === null ? "never ends" : `${duration(now - started)} of ${duration(due - started)}`;
  }
  const length = duration((job.completed_at ?? started) - started);
  // On a real clock a job starts a few milliseconds late.
  const queued = started - created >= 20 && `after ${duration(started - created)} in the queue`;
  return joinTexts(" ", status === "failed" && `${job.error_message ?? "failed"},`, length, queued);
}

function Facts(job: JobState) {
  const { width, height, bytes } = job.result ?? { width: 0, height: 0, bytes: 0 };
  const facts = [
    ["Image", job.result && `${width} × ${height}, ${amount(bytes)} bytes`],
    ["Submitted", `${dateTime(job.created_at)} UTC`],
    ["Error", job.error_code && `${job.error_code}: ${job.error_message ?? ""}`],
    ["Seed", job.seed],
    ["Webhook", job.webhook_url],
    ["Metadata", job.metadata && JSON.stringify(job.metadata, null, 2)],
  ] as const;
  return (
    <dl>
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
