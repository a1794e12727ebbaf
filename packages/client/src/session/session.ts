import { isTryOnError, type Job } from "@tryon/client";
import type { TryOnError, TryOnInput, Update } from "@tryon/client";

import { ageSince } from "../config/clock.ts";
import { isBrowser } from "../config/resolve-config.ts";
import { isExpired, storableInput, TryOnStorage } from "./saved-try-on.ts";
import type { SavedKey, SavedTryOn } from "./saved-try-on.ts";
import { isBusy, sessionError, type StartedSnapshot, type StateFields } from "./snapshot.ts";
import type {
  SessionClient,
  SessionError,
  TryOnSession,
  TryOnSessionOptions,
  TryOnSnapshot,
} from "./types.ts";
import { Tabs, type TabMessage } from "./tabs.ts";

/** Maximum difference between the clocks of page and service, in milliseconds. */
const day = 86_400_000;
const idle: TryOnSnapshot = { status: "idle" };
/** Errors that end a job, or after which its image is gone. */
const endings = /^(job_failed|result_purged|not_found)$/;
const refusals = /^(invalid|bad|validation|payload)_/;

/** Returns true for an error that the same input always has. WebKit reads no image while it closes a page. */
function isRefusal(error: TryOnError): boolean {
  if (!isTryOnError(error, "invalid_input")) return refusals.test(error.code);
  return error.issues.every((issue) => issue.code !== "unreadable");
}

const unknownOutcome = (message: string): SessionError => ({
  code: "outcome_unknown",
  message,
  isContentBlocked: false,
  retryAfter: undefined,
});
const expired = /* @__PURE__ */ unknownOutcome("Its idempotency key has expired.");
const withoutImages = /* @__PURE__ */ unknownOutcome("The browser has not stored its images.");

export interface Settings extends Pick<TryOnSessionOptions, "user" | "prepare"> {
  readonly name: string;
  readonly timeout: number;
  readonly maxAge: number;
}

export class Session implements TryOnSession {
  readonly #tryon: SessionClient;
  readonly #settings: Settings;
  readonly #name: SavedKey;
  readonly #storage: TryOnStorage;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #tabs: Tabs<StartedSnapshot> | undefined;
  #snapshot: TryOnSnapshot = idle;
  #saved: SavedTryOn | undefined;
  #age = (): number => Infinity;
  /** Idempotency key of the try-on that the state shows, which another tab may run. */
  #key = "";
  #run: AbortController | undefined;
  #pausing: Promise<void> | undefined;
  /** If true, this tab continues the try-on when the tab that runs it is closed. */
  #isNext = false;
  #takeovers = 0;

  constructor(tryon: SessionClient, settings: Settings) {
    this.#tryon = tryon;
    this.#settings = settings;
    const { user, name } = settings;
    this.#name = user === undefined ? name : [user, name];
    this.#storage = new TryOnStorage(this.#name);
  }

  readonly getSnapshot = (): TryOnSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#open();
    return () => void this.#listeners.delete(listener);
  };

  readonly start = async (input: TryOnInput): Promise<void> => {
    this.#open();
    const run = this.#replaceRun();
    const { signal } = run;
    const startedAt = this.#tryon.clock.now();
    const { prepare, maxAge } = this.#settings;
    // `crypto.randomUUID` is missing on pages that were loaded over http.
    const idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join("-");
    let saved: SavedTryOn = { idempotencyKey, startedAt, maxAge, input };
    this.#storage.replace(startedAt);
    this.#use(saved);
    this.#show({ status: "preparing" });
    try {
      const prepared = prepare ? await prepare(input, { signal }) : input;
      saved = { ...saved, input: await storableInput(prepared) };
      if (signal.aborted) return;
      await this.#save(saved);
    } catch (error) {
      return await this.#fail(run, error);
    }
    if (!signal.aborted) await this.#runAlone(true, () => this.#execute(saved, run, true));
  };

  readonly cancelWait = (): void => {
    const { status } = this.#snapshot;
    if (status === "preparing" && this.#run) return void this.reset();
    if (status !== "uploading" && status !== "waiting") return;
    if (!this.#run || !this.#saved) return this.#tabs?.post({ kind: "cancel" });
    this.#stop();
    this.#pausing = this.#pause({ ...this.#saved, isPaused: true });
  };

  /** Shows the end of waiting once it is saved: a visitor who sees it may reload the page at once. */
  async #pause(paused: SavedTryOn): Promise<void> {
    await this.#save(paused);
    if (this.#saved === paused) this.#show({ status: "interrupted" });
  }

  readonly resume = async (): Promise<void> => {
    await this.#pausing;
    const { status } = this.#snapshot;
    const canResume = this.#snapshot.status === "failed" && this.#snapshot.canResume;
    if (status !== "interrupted" && !canResume) return;
    const run = this.#replaceRun();
    // Another tab may know more of the try-on.
    const saved = (await this.#load()) ?? this.#saved;
    if (!saved || run.signal.aborted) return;
    const { isPaused: _isPaused, ...resumed } = saved;
    await this.#save(resumed);
    await this.#runAlone(true, () => this.#execute(resumed, run));
  };

  readonly reset = async (): Promise<void> => {
    this.#open();
    this.#forget();
    this.#tabs?.post({ kind: "reset" });
    await this.#storage.delete();
  };

  readonly close = (): void => {
    this.#closing.abort();
    this.#stop();
    this.#tabs?.close();
    this.#listeners.clear();
    if (isBrowser()) removeEventListener("pageshow", this.#onPageShow);
  };

  #open(): void {
    if (this.#tabs || this.#closing.signal.aborted || !isBrowser()) return;
    this.#tabs = new Tabs(this.#name, (message) => this.#receive(message));
    addEventListener("pageshow", this.#onPageShow);
    void this.#restore();
  }

  /** Other tabs may have changed the try-on while this page was in the back/forward cache. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted && !this.#run) void this.#restore(true);
  };

  async #restore(isShown = false): Promise<void> {
    const { user, maxAge } = this.#settings;
    const now = this.#tryon.clock.now();
    void this.#storage.deleteWhere((saved, key) => {
      const isOfOther = user !== undefined && typeof key !== "string" && key[0] !== user;
      return isOfOther || isExpired(saved, now, maxAge);
    });
    const saved = await this.#storage.load();
    // `start` may have been called meanwhile.
    if (this.#run || this.#closing.signal.aborted) return;
    if (!saved) {
      if (isShown && this.#storage.stores) this.#forget();
      return;
    }
    this.#use(saved);
    if (saved.isPaused) return this.#show({ status: "interrupted" });
    this.#showProgress(saved);
    await this.#follow();
  }

  async #follow(): Promise<void> {
    if (this.#isNext) return;
    this.#isNext = true;
    await this.#runAlone(false, async () => {
      this.#isNext = false;
      const saved = await this.#load();
      if (this.#closing.signal.aborted || !isBusy(this.#snapshot)) return;
      // The other tab was closed before it had saved anything.
      if (!saved) return this.#forget();
      this.#use(saved);
      if (saved.isPaused) return this.#show({ status: "interrupted" });
      await this.#execute(saved, this.#replaceRun());
    });
  }

  async #runAlone(steal: boolean, work: () => Promise<void>): Promise<void> {
    if (steal) this.#takeovers += 1;
    const takeovers = this.#takeovers;
    const onLost = (): void => {
      // By this tab itself, with a new run.
      if (this.#takeovers !== takeovers) return;
      this.#stop();
      void this.#follow();
    };
    const { signal } = this.#closing;
    const run = async (): Promise<void> => {
      await work();
      // The next tab reads what this one has saved.
      await this.#storage.last;
    };
    await (this.#tabs?.runAlone(run, { steal, signal, onLost }) ?? run()).catch(() => undefined);
  }

  /** Runs a try-on to its image. Never rejects. `isFirst` is false if an earlier run may have sent it. */
  async #execute(saved: SavedTryOn, run: AbortController, isFirst = false): Promise<void> {
    const { signal } = run;
    const { timeout } = this.#settings;
    // `reset` may have been called before the lock was granted.
    if (signal.aborted) return;
    const { idempotencyKey, startedAt, input, ...others } = saved;
    this.#use(saved);
    const onUpdate = (update: Update): void => {
      if (signal.aborted) return;
      if ("job" in update) this.#showProgress(saved, update.job);
      else this.#showProgress(saved, undefined, update.phase === "retrying");
    };
    this.#showProgress(saved);
    try {
      const isOver = this.#age() > this.#tryon.idempotencyWindow - timeout;
      let job: Job | undefined;
      if (saved.job) job = this.#tryon.jobs.resume(saved.job);
      else if (input && (isFirst || !isOver)) {
        const { apiKeyFingerprint = await this.#tryon.apiKeyFingerprint({ signal, timeout }) } =
          saved;
        if (apiKeyFingerprint !== saved.apiKeyFingerprint) {
          await this.#save({ ...saved, apiKeyFingerprint });
        }
        const options = { idempotencyKey, apiKeyFingerprint, timeout, signal, onUpdate };
        job = await this.#tryon.submit(input, options);
      } else job = await this.#find(saved, signal);
      if (!job) return await this.#fail(run, undefined, input || isOver ? expired : withoutImages);
      if (signal.aborted) return;
      await this.#save({ ...saved, job: job.toJSON() });
      const result = await job.result({ timeout, signal, onUpdate });
      this.#showProgress(saved, job);
      const image = await result.image.blob({ signal });
      if (signal.aborted) return;
      this.#show({ status: "succeeded", jobId: job.id, image });
      await this.#save({ ...others, idempotencyKey, startedAt, job: job.toJSON() });
    } catch (error) {
      await this.#fail(run, error);
    } finally {
      if (this.#run === run) this.#run = undefined;
    }
  }

  /** Searches the list for a try-on that must not be sent again. Many proxies have no list. */
  async #find({ idempotencyKey, startedAt }: SavedTryOn, signal: AbortSignal) {
    const { timeout } = this.#settings;
    const oldest = Math.min(startedAt, this.#tryon.clock.now()) - day;
    try {
      for await (const job of this.#tryon.jobs.list?.({ signal, timeout }) ?? []) {
        if (job.idempotencyKey === idempotencyKey) return job;
        if (Date.parse(String(job.data.created_at)) < oldest) return undefined;
      }
    } catch (error) {
      if (!isTryOnError(error, "not_found")) throw error;
    }
    return undefined;
  }

  async #fail(run: AbortController, error: unknown, lost?: SessionError): Promise<void> {
    if (run.signal.aborted) return;
    const known = isTryOnError(error) ? error : undefined;
    const jobId = this.#saved?.job?.id;
    const mayBeFound = lost === withoutImages || (known !== undefined && !isRefusal(known));
    const canResume = jobId ? !endings.test(known?.code ?? "") : mayBeFound;
    this.#show({ status: "failed", error: lost ?? sessionError(error), canResume, jobId });
    if (this.#run === run) this.#run = undefined;
    if (!canResume) await this.#storage.delete();
  }

  #receive(message: TabMessage<StartedSnapshot>): void {
    if (message.kind === "snapshot") this.#adopt(message.key, message.snapshot);
    else if (message.kind === "reset") {
      this.#forget();
      // This tab may have saved its try-on after the other one has deleted it.
      void this.#storage.delete(this.#key);
    } else if (this.#run) this.cancelWait();
  }

  /** Shows the state of another tab, unless this one has a newer try-on. */
  #adopt(key: string, received: StartedSnapshot): void {
    const snapshot = this.#snapshot;
    if (snapshot.status !== "idle" && snapshot.startedAt > received.startedAt) return;
    // Without Web Locks, several tabs run the same try-on.
    if ((this.#run || snapshot.status === "succeeded") && this.#key === key) return;
    this.#stop();
    this.#key = key;
    this.#set(received);
    if (isBusy(received)) void this.#follow();
  }

  #showProgress(saved: SavedTryOn, job?: Job, isRetrying = false): void {
    const { id: jobId = saved.job?.id, status = "running" } = job ?? {};
    if (jobId === undefined) return this.#show({ status: "uploading", isRetrying });
    this.#show({ status: "waiting", jobId, jobStatus: status });
  }

  #show(fields: StateFields): void {
    const { startedAt = 0, input } = this.#saved ?? {};
    const { person } = Object(input) as { readonly person?: unknown };
    const common = {
      startedAt,
      person: person instanceof Blob ? person : undefined,
      isSaved: this.#storage.stores,
    };
    const snapshot = { ...common, ...fields };
    this.#set(snapshot);
    this.#tabs?.post({ kind: "snapshot", key: this.#key, snapshot });
  }

  #set(snapshot: TryOnSnapshot): void {
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener();
  }

  #stop(): void {
    this.#run?.abort();
    this.#run = undefined;
  }

  #replaceRun(): AbortController {
    this.#run?.abort();
    return (this.#run = new AbortController());
  }

  #use(saved: SavedTryOn): void {
    if (this.#saved?.idempotencyKey !== saved.idempotencyKey) {
      // The date is all that is known of a try-on of an earlier page.
      const { clock } = this.#tryon;
      const [before, since] = [clock.now() - saved.startedAt, ageSince(clock)];
      this.#age = () => (before < 0 ? Infinity : before + since());
    }
    this.#saved = saved;
    this.#key = saved.idempotencyKey;
  }

  async #load(): Promise<SavedTryOn | undefined> {
    const [saved, own] = [await this.#storage.load(), this.#saved];
    const isOwn = saved !== undefined && saved.idempotencyKey === own?.idempotencyKey;
    // This tab has the images if the browser does not store them.
    return isOwn && !saved.job ? { input: own.input, ...saved } : saved;
  }

  #forget(): void {
    this.#stop();
    this.#saved = undefined;
    this.#set(idle);
  }

  async #save(saved: SavedTryOn): Promise<void> {
    this.#use(saved);
    await this.#storage.save(saved);
  }
}
