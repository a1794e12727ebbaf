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
                  <Block title="Webhooks">
                    <DeliveryRows deliveries={job.deliveries} now={state.now} />
                  </Block>
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
  const end =
    job.status === "succeeded" ? (["Succeeded", "good"] as const) : (["Failed", "bad"] as const);
  const steps = [
    ["Submitted", "quiet", created],
    ["Started", "busy", timeInQueue(job) > 0 ? started : null],
    [...end, completed],
  ] as const;
  return (
    <div class="steps-of-job">
      <TimeLine job={job} now={now} />
      <p class="details">{progressText(job, now)}</p>
      <ol>
        {steps.map(
          ([name, color, at]) =>
            at !== null && (
              <li key={name} class={color}>
                <span>{name}</span>
                <time class="mono" title={`${dateTime(at)} UTC`}>
                  {timeOfDay(at)}
                </time>
                <span class="details">
                  {name === "Submitted" ? dateTime(at).slice(0, 10) : `+${duration(at - created)}`}
                </span>
              </li>
            ),
        )}
      </ol>
    </div>
  );
}

function Facts(job: JobDetails) {
  const cost = job.test_mode ? "nothing, test key" : `${amount(job.cost_credits)} credits`;
  const error = job.error_code && `${job.error_code}: ${job.error_message ?? ""}`;
  const facts = [
    ["Cost", cost],
    ["Size", job.output_size],
    ["Key", job.api_key, "mono"],
    ["Error", error, "mono"],
    ["Seed", job.seed],
    ["Webhook", job.webhook_url, "mono"],
  ] as const;
  return (
    <dl>
      {facts.map(
        ([name, value, style = ""]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <span class={style}>{value}</span>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Block({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="block">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** Text and metadata of the submission. */
function Inputs({ prompt, instruction, metadata }: JobDetails) {
  return (
    <>
      {prompt !== null && (
        <Block title="Prompt">
          <p class="words">{prompt}</p>
        </Block>
      )}
      {metadata !== null && (
        <Block title="Metadata">
          <pre>{JSON.stringify(metadata, null, 2)}</pre>
        </Block>
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
