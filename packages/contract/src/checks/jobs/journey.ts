import { CheckFailure, must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import type { SubmitOptions } from "../../calls.ts";
import { readPng, readPngHeader, type PngHeader } from "../../wire/png.ts";
import { fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";

/** More calls a minute than a check makes. */
const rateLimit = 1_000_000;

/** How long a job may take, in milliseconds. */
const jobTime = 180_000;

/**
 * A key whose jobs are the check's alone where the deployment lets the kit make keys, and else the key that the check
 * works on. Nothing that another check has done with its own key can then be in the way.
 */
export async function ownKey(session: Session, mode = session.key.kind): Promise<Key> {
  const { bench } = session;
  if (bench.control === undefined) {
    return mode === session.key.kind ? session.key : session.keyNamed(mode);
  }
  const key = await session.freshKey({ mode, credits: 1_000, rate_limit_per_min: rateLimit });
  bench.pace.set(key.token, rateLimit);
  return key;
}

/** The keys of the run that have nothing to do with a key. @throws Skip when there is none. */
export function strangersTo({ bench }: Session, key: Key): readonly Key[] {
  const { stranger, live } = bench.keys;
  const found = [stranger, live].filter((one) => one !== undefined);
  const strangers = found.filter(({ token }) => token !== key.token);
  if (strangers.length > 0) return strangers;
  throw new SkipCheck("It takes a key of another account (--other-key).");
}

/** Says how the next job of a key ends. @throws Skip without the control API. */
export async function steer(session: Session, key: Key, next: Fields): Promise<void> {
  await session.control.post("next-job", { ...next, api_key: key.token });
}

/** Whether a status is one that a job never leaves. */
export function isEnd(status: unknown): boolean {
  return status === "succeeded" || status === "failed";
}

/** A job from its submission to its end. */
export interface Life {
  readonly key: Key;
  readonly jobId: string;
  readonly submitted: HttpResponse;
  /** The polls that showed it before its end, in order. */
  readonly going: readonly HttpResponse[];
  /** The first poll that showed its end. */
  readonly ended: HttpResponse;
  /** The body of that poll. */
  readonly job: Fields;
}

/**
 * Submits a job and polls it to its end. It takes a few seconds where that can be said, so that it is seen going on.
 *
 * @param outcome how it is to end; anything but `succeeded` takes the control API.
 */
export async function follow(
  session: Session,
  fields: Fields = {},
  outcome = "succeeded",
): Promise<Life> {
  const key = await ownKey(session);
  if (outcome !== "succeeded" || session.bench.control !== undefined) {
    await steer(session, key, { outcome, duration_ms: 3_000 });
  }
  const submitted = await session.submit(fields, { key });
  const jobId = jobIdOf(submitted);
  const going: HttpResponse[] = [];
  const ended = await session.until(
    `${jobId} ends`,
    async () => {
      const answer = await session.poll(jobId, { key });
      if (isEnd(fieldsOf(answer.json)["status"])) return answer;
      // A fresh job may be missing from reads for a moment.
      if (answer.status === 200) going.push(answer);
      return undefined;
    },
    jobTime,
    session.time.virtual ? 1_000 : 2_000,
  );
  return { key, jobId, submitted, going, ended, job: fieldsOf(ended.json) };
}

/** The job of {@link follow} that succeeds. @throws Broken when it fails. */
export async function followSuccess(session: Session, fields: Fields = {}): Promise<Life> {
  const life = await follow(session, fields);
  must(life.job["status"] === "succeeded", "The job of a good submission failed.", life.ended);
  return life;
}

/** @throws Skip when a job was over before it could be seen going on. */
export function mustHaveGone({ going }: Life): void {
  if (going.length > 0) return;
  throw new SkipCheck("The job was over at the first poll, so it could not be seen going on.");
}

/** Submits a job that succeeds, and waits for it; cheaper than {@link follow}. */
export async function finished(
  session: Session,
  fields: Fields = {},
  options: SubmitOptions = {},
): Promise<{ key: Key; jobId: string; answer: HttpResponse; job: Fields }> {
  const { key: given } = options;
  // Jobs are submitted with keys of the run alone, which are objects.
  const key = given !== null && typeof given === "object" ? given : await ownKey(session);
  const jobId = await session.start(fields, { ...options, key });
  if (session.time.virtual) await session.time.pass(1_500);
  const answer = await session.end(jobId, { key });
  const job = fieldsOf(answer.json);
  must(job["status"] === "succeeded", "The job of a good submission failed.", answer);
  return { key, jobId, answer, job };
}

/** Waits until a job can be polled. */
export async function seen(session: Session, jobId: string, key: Key): Promise<HttpResponse> {
  return session.until(`${jobId} can be polled`, async () => {
    const answer = await session.poll(jobId, { key });
    return answer.status === 200 ? answer : undefined;
  });
}

/** The answer to a held call whose job succeeds. @throws Skip when it was not held to the end. */
export async function heldSuccess(
  session: Session,
  fields: Fields = {},
  options: SubmitOptions = {},
): Promise<HttpResponse> {
  const { answer } = await session.held(fields, options);
  if (answer.status === 504)
    throw new SkipCheck("A proxy ended the held call before its job was over.");
  const { status } = fieldsOf(answer.json);
  if (status === "running" || status === "queued") {
    throw new SkipCheck("The job took longer than a call is held.");
  }
  return answer;
}

/** Fetches a result by its signed address, as anybody may who has it. */
export function fetchResult(session: Session, address: unknown): Promise<HttpResponse> {
  return session.call("GET", mustBeText(address), { key: null });
}

/** Fetches an image. @throws Broken when there is none. */
export async function fetchImage(session: Session, address: unknown): Promise<HttpResponse> {
  const answer = await fetchResult(session, address);
  must(answer.status === 200, `A fresh result_url was answered ${answer.status}.`, answer);
  return answer;
}

/** Reads the image of an answer. @throws Broken when it is no PNG. */
export function pngOf(answer: HttpResponse): PngHeader {
  const png = readPng(answer.bytes);
  if (typeof png === "string") throw new CheckFailure(`The result is no PNG: ${png}.`, answer);
  return png;
}

/** What the header of an image says. @throws Skip when it is no PNG, which is another check's. */
export function headerOf(answer: HttpResponse): PngHeader {
  const header = readPngHeader(answer.bytes);
  if (header === undefined) throw new SkipCheck("The result is no PNG whose header could be read.");
  return header;
}

/** @throws Broken when a job that succeeded has no address of its result. */
export function mustBeText(address: unknown): string {
  must(typeof address === "string", "A job that succeeded has no result_url.");
  return address;
}

/** Whether a field has no value. */
export function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

/** @throws Skip where time cannot be moved. */
export function needVirtualTime({ time }: Session, span: string): void {
  if (time.virtual) return;
  throw new SkipCheck(`It takes ${span}: only a deployment whose time can be moved shows it.`);
}
