import { recordExchange } from "../record/exchange-recorder.ts";
import type { Exchange } from "../record/exchange.ts";
import { LiveGuard } from "../record/live-guard.ts";
import { Masker } from "../record/mask.ts";
import { pollOperation, seenOf } from "../seen/seen.ts";
import { isEnd } from "../submission.ts";
import type { Recorded } from "../observe/session-file.ts";
import { rejectLiveKeys } from "../contract-options.ts";
import { findControl, type Control } from "../target/control.ts";
import { preflight } from "../target/preflight.ts";
import { realTime, virtualTime } from "../target/time.ts";
import type { Keys } from "../target/keys.ts";
import { retryAfter } from "../target/request-pacer.ts";
import { fieldsOf, type HttpResponse } from "../wire/response.ts";
import { Redactor } from "../wire/redactor.ts";
import { urlBelow } from "../wire/base-url.ts";
import { createSend, NoResponse, type Send } from "../wire/send.ts";
import { findDrift, type Drift, type Pair } from "./drift.ts";
import { jobOutcomes, type Recording } from "./job-outcomes.ts";
import { assignKeys, createKeys, tokenOf, type ReplayKeys } from "./replay-keys.ts";
import { NotCompared, RequestBuilder } from "./request-builder.ts";
import { ReplayTime } from "./replay-time.ts";

export interface ReplayOptions {
  /** Base URL of the deployment. */
  readonly against: string;
  readonly paid: boolean;
  readonly keys: Keys;
  /** Token of the control API of a reference server. */
  readonly controlToken?: string | undefined;
  readonly allowLive?: boolean | undefined;
  readonly maxCredits?: number | undefined;
  /** Public image that is sent for each recorded URL of an image. */
  readonly imageUrl?: string | undefined;
  /** Maximum number of open requests; the default is 1,000. The next one waits for the end of one of them. */
  readonly maxOpen?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
}

export interface ReplayResult {
  readonly version: 1;
  readonly against: string;
  readonly startedAt: string;
  readonly milliseconds: number;
  readonly recorded: number;
  readonly compared: number;
  readonly operations: Readonly<Record<string, number>>;
  readonly notCompared: readonly { readonly reason: string; readonly count: number }[];
  readonly drift: readonly Drift[];
}

/** Half of the connections that a reference server takes, so that its control API has one. */
const defaultMaxOpen = 1_000;

/** Maximum number of polls that wait for the end of a job, and of retries after a 429. */
const maxTries = 60;

/**
 * Sends recorded requests again, in their order, and compares the responses. At a reference server, keys, outcomes and
 * time are those of the recording.
 *
 * @throws OptionsError for a live key without permission, TargetProblem if the deployment cannot be reached.
 */
export async function replay(
  session: readonly Recorded[],
  options: ReplayOptions,
): Promise<ReplayResult> {
  const started = Date.now();
  const send = createSend(options.against, options.fetch);
  const redactor = new Redactor(...Object.values(options.keys).map(({ token }) => token));
  const control = await findControl(send, {
    keys: options.keys,
    token: options.controlToken,
    redactor,
  });
  if (control === undefined && options.allowLive !== true) rejectLiveKeys(options.keys);
  const target = { send, baseUrl: options.against, redactor };
  await preflight(target, control === undefined ? options.keys : {});
  const recordings: readonly Recording[] = session
    .map(({ exchange, place }) => ({
      exchange,
      place,
      seen: exchange.error === undefined ? seenOf(exchange, place) : undefined,
    }))
    .toSorted((one, other) => one.exchange.at - other.exchange.at);
  const keys = control
    ? await createKeys(recordings, control)
    : assignKeys(recordings, options.keys);
  const first = recordings[0]?.exchange.at ?? 0;
  const isClockMine = control !== undefined && control.gateway === undefined;
  const time = new ReplayTime(
    isClockMine ? await virtualTime(control, undefined) : realTime(undefined, options.sleep),
  );
  await time.start(first);
  const run = new Replay({ ...options, send, control, keys, time, recordings });
  await run.run();
  const isCompared = ({ recorded }: Pair): boolean => !run.notCompared.has(recorded);
  // No model is called with a test key, so a job of a prompt that is not recorded can only succeed.
  const isOutcomeSet = ({ recorded }: Pair): boolean =>
    control === undefined
      ? recorded.key?.startsWith("test-") === true &&
        fieldsOf(recorded.response?.body)["status"] === "succeeded"
      : !run.shiftedKeys.has(recorded.key);
  const { drift, notCompared } = findDrift(session, run.pairs, isCompared, isOutcomeSet);
  const reasons = [...run.notCompared.values(), ...notCompared.values()];
  const compared = run.pairs.filter((pair) => isCompared(pair) && !notCompared.has(pair.recorded));
  return {
    version: 1,
    against: options.against,
    startedAt: new Date(started).toISOString(),
    milliseconds: Date.now() - started,
    recorded: session.length,
    compared: compared.length,
    operations: countOf(
      compared.map(({ recorded }) => seenOf(recorded, "")?.operation ?? "other paths"),
    ),
    notCompared: Object.entries(countOf(reasons))
      .map(([reason, count]) => ({ reason, count }))
      .toSorted((one, other) => other.count - one.count),
    drift,
  };
}

interface ReplayParts extends Omit<ReplayOptions, "keys"> {
  readonly send: Send;
  readonly control: Control | undefined;
  readonly keys: ReplayKeys;
  readonly time: ReplayTime;
  readonly recordings: readonly Recording[];
}

class Replay {
  /** Repeated exchanges, in the order in which they ended. */
  readonly pairs: Pair[] = [];
  readonly notCompared = new Map<Exchange, string>();
  /** Keys with a refused submission, whose outcome the next job gets. */
  readonly shiftedKeys = new Set<string | null>();
  readonly #parts: ReplayParts;
  readonly #builder: RequestBuilder;
  readonly #guard: LiveGuard;
  // Repeated exchanges are compared here, and never written.
  readonly #masker = new Masker({ keepText: true });
  readonly #outcomes: ReturnType<typeof jobOutcomes>;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#builder = new RequestBuilder({
      acceptsUrls: parts.control !== undefined,
      imageUrl: parts.imageUrl,
      keepsIds: parts.control === undefined && !parts.paid,
    });
    this.#guard = new LiveGuard(parts, parts.send);
    this.#outcomes = jobOutcomes(parts.recordings);
  }

  /** Starts each request after those that had ended before it in the recording, and at its time. */
  async run(): Promise<void> {
    const { recordings, time, maxOpen = defaultMaxOpen } = this.#parts;
    const sent = new Map<Recording, Promise<void>>();
    const open = new Set<Promise<void>>();
    // At the same time, an exchange ends before a later one starts, and what causes a conflict starts before it.
    const events = recordings
      .flatMap((one, index) => {
        const rank = one.seen?.status === 409 ? recordings.length + index : index;
        const { at, endedAfter } = one.exchange;
        return [
          { at, rank, one, isStart: true },
          { at: at + endedAfter, rank, one, isStart: false },
        ];
      })
      .toSorted((one, other) => one.at - other.at || one.rank - other.rank);
    for (const { at, one, isStart } of events) {
      await time.moveTo(at);
      if (isStart) {
        const send = await this.#prepare(one).catch((error: unknown) => this.#leaveOut(one, error));
        if (send === undefined) continue;
        if (open.size >= maxOpen) await time.until(Promise.race(open));
        const request = send()
          .catch((error: unknown) => this.#leaveOut(one, error))
          .finally(() => open.delete(request));
        open.add(request);
        sent.set(one, request);
      } else {
        await time.until(sent.get(one) ?? Promise.resolve());
        sent.delete(one);
      }
    }
  }

  #leaveOut({ exchange }: Recording, error: unknown): undefined {
    if (!(error instanceof NotCompared || error instanceof NoResponse)) throw error;
    const isAsRecorded = error instanceof NoResponse && exchange.response === undefined;
    const reason = error instanceof NoResponse ? "The target did not respond" : error.message;
    this.notCompared.set(exchange, isAsRecorded ? incomplete : reason);
  }

  async #prepare(recording: Recording): Promise<() => Promise<void>> {
    const { paid, keys, control, against } = this.#parts;
    const { exchange, seen } = recording;
    const isRead = exchange.method === "GET" || exchange.method === "HEAD";
    if (!isRead && !paid) throw new NotCompared("Only reads are sent without --level paid");
    const token = tokenOf(keys, exchange.key);
    const request = this.#builder.build(seen, exchange);
    if (!urlBelow(against, request.path)) throw new NotCompared("A path leaves the base URL");
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    // Credits of a reference server cost nothing.
    const permit = control
      ? undefined
      : await this.#guard.admit(exchange.method, request.path, authorization);
    if (typeof permit === "string") throw new NotCompared("A live key, or --max-credits");
    const outcome = this.#outcomes.get(exchange);
    if (control && outcome && token !== undefined) {
      await control.post("next-job", { ...outcome, api_key: token });
    }
    return async () => {
      const { response, replayed } = await this.#send(recording, request, authorization);
      if (outcome && response.status !== 200) this.shiftedKeys.add(exchange.key);
      permit?.settle(response.status, response.json);
      this.pairs.push({ recorded: exchange, replayed, place: recording.place });
      if (seen === undefined) this.notCompared.set(exchange, incomplete);
      else this.#builder.learn(seen.got, fieldsOf(response.json));
    };
  }

  /** Sends a request, again after a 429 that was not recorded, and a poll until its job ends as recorded. */
  async #send(
    { exchange, seen }: Recording,
    { path, headers, body }: ReturnType<RequestBuilder["build"]>,
    authorization: string | undefined,
  ): Promise<{ response: HttpResponse; replayed: Exchange }> {
    const { send, time, against } = this.#parts;
    const { method } = exchange;
    const sent = { ...headers, ...(authorization !== undefined && { authorization }) };
    for (let tries = 1; ; tries += 1) {
      const at = await time.now();
      const request = { method, path, headers: sent, body };
      const response = await send(request);
      const timed = { request, response, at, until: await time.now() };
      const replayed = recordExchange(this.#masker, new URL(against).origin, timed);
      const status = fieldsOf(response.json)["status"];
      const isEarly =
        seen?.operation === pollOperation && isEnd(seen.got["status"]) && !isEnd(status);
      const isWaiting = isEarly && response.status === 200;
      const isLimited = response.status === 429 && seen?.status !== 429;
      if ((!isWaiting && !isLimited) || tries > maxTries) return { response, replayed };
      await time.pass(isLimited ? (retryAfter(response) ?? 60_000) : Math.min(5_000, 500 * tries));
    }
  }
}

const incomplete = "The recording has no complete response";

function countOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
