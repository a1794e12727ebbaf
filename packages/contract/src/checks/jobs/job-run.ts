import { must, need } from "../../outcome.ts";
import { isEnd, jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { elementsOf, fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";
import { mustHave, mustHaveStatus } from "../expectations.ts";
import type { Key } from "../../target/keys.ts";

export function keysOfOtherAccounts({ context, keys: { own } }: Session): readonly Key[] {
  const found = [context.keys.stranger, context.keys.live].filter((one) => one !== undefined);
  const others = found.filter(({ token }) => token !== own.token);
  need(others.length > 0, "It takes a key of another account (TRYON_OTHER_KEY).");
  return others;
}

export interface JobRun {
  readonly submitted: HttpResponse;
  readonly running: readonly HttpResponse[];
  readonly ended: HttpResponse;
}

/**
 * Submits a job and polls it to its end. Under the control API the job takes a few seconds, so that polls show it
 * running. Where time is real, checks with the same key, fields and outcome share the job.
 *
 * @param outcome any outcome but `succeeded` takes the control API.
 */
export function runJob(
  session: Session,
  fields: Fields = {},
  outcome = "succeeded",
): Promise<JobRun> {
  return shareRun(session, outcome, fields, () => runNewJob(session, fields, outcome));
}

async function shareRun<Run>(
  { context, http, keys }: Session,
  kind: string,
  fields: Fields,
  run: () => Promise<Run>,
): Promise<Run> {
  const request = { ...http.goodRequest(), ...fields };
  const id = JSON.stringify([kind, keys.own.token, request]);
  const { exchanges } = http;
  const shared = await context.jobWaits.share(id, async () => {
    const from = exchanges.length;
    const result = await run();
    return { result, exchanges: exchanges.slice(from) };
  });
  exchanges.push(...shared.exchanges.filter((one) => !exchanges.includes(one)));
  return shared.result;
}

export async function runNewJob(
  { context, http, keys, time }: Session,
  fields: Fields = {},
  outcome = "succeeded",
): Promise<JobRun> {
  if (outcome !== "succeeded" || keys.hasControl) {
    await keys.setNextJob({ outcome, duration_ms: 3_000 });
  }
  const submitted = await http.submit(fields);
  const jobId = jobIdOf(submitted);
  const running: HttpResponse[] = [];
  const poll = async (): Promise<HttpResponse | undefined> => {
    const response = await http.poll(jobId);
    if (isEnd(fieldsOf(response.json)["status"])) return response;
    // Reads may omit a new job for a moment.
    if (response.status === 200) running.push(response);
    return undefined;
  };
  const step = time.virtual ? 1_000 : 2_000;
  const ended = await context.jobWaits.untilEnded(jobId, poll, step);
  return { submitted, running, ended };
}

export function needRunning({ running }: JobRun): void {
  need(running.length > 0, "The job was over at the first poll, so no poll shows it running.");
}

export async function finished(session: Session, fields: Fields = {}, run = runJob) {
  const { submitted, ended } = await run(session, fields);
  mustHave(ended, { status: "succeeded" }, "the last poll of a good submission");
  return { jobId: jobIdOf(submitted), response: ended };
}

/** Sends a synchronous request, or shares one as {@link runJob}. @throws SkipCheck for a response before the end. */
export async function syncSuccess(session: Session, fields: Fields = {}): Promise<HttpResponse> {
  const submit = () => session.http.submitSync(fields);
  const { response } = await shareRun(session, "sync", fields, submit);
  return skipUnlessEnded(response);
}

export function skipUnlessEnded(response: HttpResponse): HttpResponse {
  skipGatewayTimeout(response);
  const { status } = fieldsOf(response.json);
  const isOver = status !== "running" && status !== "queued";
  need(isOver, "The job took longer than a synchronous request waits.");
  return response;
}

/**
 * Sends a synchronous request whose job takes a duration in milliseconds. Time passes until that job has ended, so that
 * it does not delay others.
 *
 * @throws SkipCheck without the control API.
 */
export async function submitLong({ http, keys, time }: Session, duration: number) {
  await keys.setNextJob({ outcome: "succeeded", duration_ms: duration });
  const { response, duration: took } = await http.submitSync({}, 3_000);
  if (time.virtual) await time.pass(Math.max(0, duration + 1_000 - took));
  return { response, took };
}

/** @throws SkipCheck when a proxy ended a synchronous request, which is an open point. */
export function skipGatewayTimeout({ status }: HttpResponse): void {
  need(status !== 504, "A proxy ends synchronous requests before their jobs.");
}

export function resultUrlOf(response: HttpResponse): string {
  const { result_url: url } = fieldsOf(response.json);
  must(typeof url === "string", "A job that succeeded has no result_url.", response);
  must(URL.canParse(url), "The result_url of a job is not an absolute URL.", response);
  return url;
}

export async function fetchImage(
  { http }: Session,
  job: HttpResponse,
  what = "a new result_url",
): Promise<HttpResponse> {
  const response = await http.request("GET", resultUrlOf(job), { key: null });
  mustHaveStatus(response, 200, what);
  return response;
}

export async function pageOf(
  { http, keys }: Session,
  query: Readonly<Record<string, string>> = {},
  key = keys.own,
): Promise<HttpResponse> {
  const response = await http.list(query, { key });
  mustHaveStatus(response, 200, "the list");
  return response;
}

export function jobsOf(page: HttpResponse): readonly Fields[] {
  return elementsOf(fieldsOf(page.json)["jobs"]).map(fieldsOf);
}

export function idsOf(page: HttpResponse): readonly string[] {
  return jobsOf(page).map((job) => String(job["job_id"]));
}

/** Submits jobs and waits until the list has them: reads may omit new jobs for a moment. */
export async function startAndList(session: Session, count: number) {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await session.http.start());
  const page = await session.time.until("the list has the submitted jobs", async () => {
    // Both values of the maximum page size allow 50.
    const found = await pageOf(session, { limit: "50" });
    return ids.every((id) => idsOf(found).includes(id)) ? found : undefined;
  });
  return { ids, page };
}
