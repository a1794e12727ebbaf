import { must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import type { SubmitOptions } from "../../request-options.ts";
import { elementsOf, fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";
import { mustHave, mustHaveStatus } from "../expectations.ts";
import type { Key } from "../../target/keys.ts";

/** More requests a minute than a check sends. */
const rateLimit = 1_000_000;

/** Maximum duration of a job, in milliseconds. */
const maxJobTime = 180_000;

/**
 * Makes a key for this check alone where the deployment lets the kit make keys. Otherwise returns the key that the check
 * works on.
 */
export async function ownKey(session: Session, mode = session.key.kind): Promise<Key> {
  const { context } = session;
  if (context.control === undefined) {
    return mode === session.key.kind ? session.key : session.keyNamed(mode);
  }
  const key = await session.freshKey({ mode, credits: 1_000, rate_limit_per_min: rateLimit });
  context.pacer.setLimit(key.token, rateLimit);
  return key;
}

/** The keys of the run that belong to other accounts than a key. @throws SkipCheck when there is none. */
export function strangersTo({ context }: Session, key: Key): readonly Key[] {
  const { stranger, live } = context.keys;
  const found = [stranger, live].filter((one) => one !== undefined);
  const strangers = found.filter(({ token }) => token !== key.token);
  if (strangers.length > 0) return strangers;
  throw new SkipCheck("It takes a key of another account (--other-key).");
}

/** Sets the outcome of the next job of a key. @throws SkipCheck without the control API. */
export async function setNextJob(session: Session, key: Key, next: Fields): Promise<void> {
  await session.control.post("next-job", { ...next, api_key: key.token });
}

/** If true, a job never leaves this status. */
export function isEnd(status: unknown): boolean {
  return status === "succeeded" || status === "failed";
}

/** A job from its submission to its end. */
export interface JobRun {
  readonly submitted: HttpResponse;
  /** Polls before the end, in order. */
  readonly running: readonly HttpResponse[];
  /** First poll after the end. */
  readonly ended: HttpResponse;
}

/**
 * Submits a job and polls it to its end. Under the control API the job takes a few seconds, so that polls show it
 * running.
 *
 * @param outcome any outcome but `succeeded` takes the control API.
 */
export async function runJob(
  session: Session,
  fields: Fields = {},
  outcome = "succeeded",
): Promise<JobRun> {
  const key = await ownKey(session);
  if (outcome !== "succeeded" || session.context.control !== undefined) {
    await setNextJob(session, key, { outcome, duration_ms: 3_000 });
  }
  const submitted = await session.submit(fields, { key });
  const jobId = jobIdOf(submitted);
  const running: HttpResponse[] = [];
  const ended = await session.until(
    `${jobId} ends`,
    async () => {
      const response = await session.poll(jobId, { key });
      if (isEnd(fieldsOf(response.json)["status"])) return response;
      // Reads may omit a new job for a moment.
      if (response.status === 200) running.push(response);
      return undefined;
    },
    maxJobTime,
    session.time.virtual ? 1_000 : 2_000,
  );
  return { submitted, running, ended };
}

/** @throws SkipCheck when no poll showed the job running. */
export function needRunning({ running }: JobRun): void {
  if (running.length > 0) return;
  throw new SkipCheck("The job was over at the first poll, so no poll shows it running.");
}

/** Submits a job that succeeds and waits for it. Sends fewer requests than {@link runJob}. */
export async function finished(
  session: Session,
  fields: Fields = {},
  given?: Key,
): Promise<{ key: Key; jobId: string; response: HttpResponse; job: Fields }> {
  const key = given ?? (await ownKey(session));
  const jobId = await session.start(fields, { key });
  if (session.time.virtual) await session.time.pass(1_500);
  const response = await session.waitForEnd(jobId, { key });
  mustHave(response, { status: "succeeded" }, "the last poll of a good submission");
  return { key, jobId, response, job: fieldsOf(response.json) };
}

/** Polls a job until the deployment finds it. */
export async function pollVisible(
  session: Session,
  jobId: string,
  key = session.key,
): Promise<HttpResponse> {
  return session.until(`${jobId} can be polled`, async () => {
    const response = await session.poll(jobId, { key });
    return response.status === 200 ? response : undefined;
  });
}

/** Sends a synchronous request whose job succeeds. @throws SkipCheck when the response came before the end. */
export async function syncSuccess(
  session: Session,
  fields: Fields = {},
  options: SubmitOptions = {},
): Promise<HttpResponse> {
  const { answer } = await session.submitSync(fields, options);
  skipGatewayTimeout(answer);
  const { status } = fieldsOf(answer.json);
  if (status === "running" || status === "queued") {
    throw new SkipCheck("The job took longer than a synchronous request waits.");
  }
  return answer;
}

/** @throws SkipCheck when a proxy ended a synchronous request, which is an open point. */
export function skipGatewayTimeout({ status }: HttpResponse): void {
  if (status === 504) throw new SkipCheck("A proxy ends synchronous requests before their jobs.");
}

/** @throws CheckFailure when a job that succeeded has no URL of its result. */
export function mustBeText(url: unknown): string {
  must(typeof url === "string", "A job that succeeded has no result_url.");
  return url;
}

/** Fetches a result by its signed URL, without a key. */
export function fetchResult(session: Session, url: unknown): Promise<HttpResponse> {
  return session.request("GET", mustBeText(url), { key: null });
}

/** Fetches an image. @throws CheckFailure when there is none. */
export async function fetchImage(session: Session, url: unknown): Promise<HttpResponse> {
  const response = await fetchResult(session, url);
  mustHaveStatus(response, 200, "a new result_url");
  return response;
}

/** Reads a page of the list. @throws CheckFailure when the request fails. */
export async function pageOf(
  session: Session,
  key: Key,
  query: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const response = await session.request("GET", "/api/v1/tryon", { key, query });
  mustHaveStatus(response, 200, "the list");
  return response;
}

/** Jobs of a page. */
export function jobsOf(page: HttpResponse): readonly Fields[] {
  return elementsOf(fieldsOf(page.json)["jobs"]).map(fieldsOf);
}

/** Ids of the jobs of a page. */
export function idsOf(page: HttpResponse): readonly string[] {
  return jobsOf(page).map((job) => String(job["job_id"]));
}

/** Submits jobs and waits until the list has them: reads may omit new jobs for a moment. */
export async function startAndList(
  session: Session,
  key: Key,
  count: number,
): Promise<{ ids: readonly string[]; page: HttpResponse }> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await session.start({}, { key }));
  const page = await session.until("the list has the submitted jobs", async () => {
    // Both values of the maximum page size allow 50.
    const found = await pageOf(session, key, { limit: "50" });
    return ids.every((id) => idsOf(found).includes(id)) ? found : undefined;
  });
  return { ids, page };
}
