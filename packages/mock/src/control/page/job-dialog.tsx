import { useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";

import type { State } from "../routes/state-view.ts";
import { DeliveryRows } from "./deliveries.tsx";
import { amount, bytes, dateTime, duration, timeOfDay } from "./format.ts";
import { imageUrl, progressText, timeInQueue, TimeLine } from "./jobs.tsx";
import { page } from "./page-model.ts";
import { CopyButton, Pill } from "./parts.tsx";

type JobDetails = NonNullable<State["chosen"]>;

function deselectJob(): void {
  if (location.hash !== "") history.pushState(null, "", location.pathname);
  page.select({ jobId: "" });
}

/** A dialog with all details of the job whose id is the hash of the page's URL. */
export function JobDialog({ children }: { readonly children: ComponentChildren }) {
  const { state, jobId } = page;
  const ref = useRef<HTMLDialogElement>(null);
  const close = (): void => ref.current?.close();
  useLayoutEffect(() => {
    if (jobId === "") close();
    else if (ref.current?.open === false) ref.current.showModal();
  }, [jobId]);
  const job = state?.chosen?.job_id === jobId ? state.chosen : undefined;
  return (
    <dialog
      ref={ref}
      aria-labelledby="job-title"
      onClose={deselectJob}
      // A click on the backdrop has the dialog as its target.
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      {jobId !== "" && (
        <>
          <div class="dialog-head">
            <div class="grow">
              <h2 id="job-title" class="mono">
                {jobId}
              </h2>
              {job && (
                <div class="under">
                  <Pill status={job.status} />
                  <CopyButton text={jobId} name="id" />
                </div>
              )}
            </div>
            <button type="button" class="close" aria-label="Close" onClick={close}>
              ×
            </button>
          </div>
          {job && state ? (
            <div class="dialog-body">
              <JobImage job={job} generation={state.generation} />
              <div class="about">
                <Steps job={job} now={state.now} />
                <Facts {...job} />
                <Inputs {...job} />
                {job.deliveries.length > 0 && (
                  <div class="block">
                    <h3>Webhooks</h3>
                    <DeliveryRows deliveries={job.deliveries} now={state.now} />
                  </div>
                )}
              </div>
            </div>
          ) : (
            <div class="empty">
              <p>{state?.chosen === null ? "This job does not exist." : "Loading…"}</p>
            </div>
          )}
        </>
      )}
      {children}
    </dialog>
  );
}

const imageTexts = {
  queued: "No image yet.",
  running: "No image yet.",
  succeeded: "The image was deleted.",
  failed: "No image: the job failed.",
} as const;

function JobImage({ job, generation }: { readonly job: JobDetails; readonly generation: number }) {
  if (job.result === null) {
    return (
      <div class="image none">
        <p>{imageTexts[job.status]}</p>
      </div>
    );
  }
  const src = imageUrl(generation, job.job_id);
  const { width, height } = job.result;
  return (
    <figure key={src} class="image">
      <img src={src} width={width} height={height} alt="Result of the try-on" />
      <figcaption>
        {`${width} × ${height} · ${bytes(job.result.bytes)} · `}
        <a href={src} target="_blank" rel="noopener">
          open
        </a>
      </figcaption>
    </figure>
  );
}

function Steps({ job, now }: { readonly job: JobDetails; readonly now: number }) {
  const { created_at: created, started_at: started, completed_at: completed } = job;
  const steps = [{ name: "Submitted", at: created, color: "quiet" }];
  if (timeInQueue(job) > 0 && started !== null) {
    steps.push({ name: "Started", at: started, color: "busy" });
  }
  if (completed !== null) {
    const succeeded = { name: "Succeeded", at: completed, color: "good" };
    const failed = { name: "Failed", at: completed, color: "bad" };
    steps.push(job.status === "succeeded" ? succeeded : failed);
  }
  return (
    <div class="steps-of-job">
      <TimeLine job={job} now={now} />
      <p class="facts">{progressText(job, now)}</p>
      <ol>
        {steps.map(({ name, at, color }, index) => (
          <li key={name} class={color}>
            <span>{name}</span>
            <time class="mono" title={`${dateTime(at)} UTC`}>
              {timeOfDay(at)}
            </time>
            <span class="facts">
              {index === 0 ? dateTime(at).slice(0, 10) : `+${duration(at - created)}`}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Facts(job: JobDetails) {
  const error = job.error_code === null ? null : `${job.error_code}: ${job.error_message ?? ""}`;
  return (
    <dl>
      <Fact name="Cost">
        {job.test_mode ? "nothing, test key" : `${amount(job.cost_credits)} credits`}
      </Fact>
      <Fact name="Size">{job.output_size}</Fact>
      <Fact name="Key" class="mono">
        {job.api_key}
      </Fact>
      <Fact name="Error" class="mono">
        {error}
      </Fact>
      <Fact name="Seed">{job.seed}</Fact>
      <Fact name="Webhook" class="mono">
        {job.webhook_url}
      </Fact>
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly class?: string;
  readonly children: string | number | null;
}

function Fact({ name, class: style = "", children }: FactProps) {
  if (children === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class={style}>{children}</span>
      </dd>
    </div>
  );
}

/** Text and metadata of the submission. */
function Inputs({ prompt, instruction, metadata }: JobDetails) {
  return (
    <>
      {prompt !== null && (
        <div class="block">
          <h3>Prompt</h3>
          <p class="words">{prompt}</p>
        </div>
      )}
      {metadata !== null && (
        <div class="block">
          <h3>Metadata</h3>
          <pre>{JSON.stringify(metadata, null, 2)}</pre>
        </div>
      )}
      {instruction !== null && (
        <details class="block">
          <summary>Instruction for the model</summary>
          <p class="words">{instruction}</p>
        </details>
      )}
    </>
  );
}
