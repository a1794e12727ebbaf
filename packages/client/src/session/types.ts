import type {
  CallOptions,
  Clock,
  Duration,
  FieldIssue,
  Job,
  SavedJob,
  SubmitOptions,
  TryOnErrorCode,
  TryOnInput,
} from "@tryon/client";

/** Client of a session: a `PageClient`, or a `TryOn` with `proxyUrl`. */
export interface SessionClient {
  /** Clock of the client. */
  readonly clock: Clock;
  /** Time after its first attempt in which a submission may be retried, in milliseconds. */
  readonly idempotencyWindow: number;
  /** Jobs of the user. */
  readonly jobs: {
    /** Returns a saved job, without a request. */
    resume(saved: SavedJob): Job;
    /** Lists the jobs of the user, newest first. A `PageClient` has no list. */
    list?(options: CallOptions): AsyncIterable<Job>;
  };
  /** Submits a try-on. */
  submit(input: TryOnInput, options: SubmitOptions): Promise<Job>;
  /** Returns a fingerprint of the API key of the proxy. */
  apiKeyFingerprint(options: CallOptions): Promise<string | undefined>;
}

/** Error of a session, as plain fields, which other tabs receive too. */
export interface SessionError {
  /** Code of the error. `unexpected` for an error that is not of this package, such as one that `prepare` throws. */
  readonly code: TryOnErrorCode | "unexpected";
  /** Message for developers. `describeForShoppers` returns one for visitors. */
  readonly message: string;
  /** If true, the service refused the content of an image or of a text. */
  readonly isContentBlocked: boolean;
  /** Seconds to wait before the next try-on, if the service said so. */
  readonly retryAfter: number | undefined;
  /** Fields of the input that were rejected. Those of the client have the fields of `InputIssue`. */
  readonly issues?: readonly FieldIssue[] | undefined;
}

/** Fields of every state but `idle`. */
export interface Started {
  /** Time of `start`, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Photo of the person, if the input has it as a `Blob`. It is removed from the browser once the result was loaded. */
  readonly person: Blob | undefined;
  /**
   * Data that a reload of the page keeps. `"all"`: the try-on. `"job"`: the try-on without its images, once the state
   * is `waiting`; before, a reload can lose it. `false`: nothing, since the browser cannot store data.
   */
  readonly isSaved: "all" | "job" | false;
}

/** State of a session. It never changes; the session replaces it. */
export type TryOnSnapshot =
  | {
      /** State of the try-on. */
      readonly status: "idle";
    }
  /** The input is prepared and saved. Nothing was sent. */
  | ({
      /** State of the try-on. */
      readonly status: "preparing";
    } & Started)
  /** The submission is sent. `isRetrying` is true after a failure that the client retries. */
  | ({
      /** State of the try-on. */
      readonly status: "uploading";
      /** If true, an attempt has failed and the client retries. */
      readonly isRetrying: boolean;
    } & Started)
  /** The service runs the job, or the image is loaded. */
  | ({
      /** State of the try-on. */
      readonly status: "waiting";
      /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
      readonly jobId: string;
      /** Status of the job as of the last poll. */
      readonly jobStatus: Job["status"];
    } & Started)
  | ({
      /** State of the try-on. */
      readonly status: "succeeded";
      /** Id of the job, such as `job_4fK9sQ2mZx7LbT1cVw8RnE3y`. */
      readonly jobId: string;
      /** Result image, a PNG. */
      readonly image: Blob;
    } & Started)
  /** With `canResume`, `resume` continues under the same key. Without it, the try-on was deleted. */
  | ({
      /** State of the try-on. */
      readonly status: "failed";
      /** Error that ended the try-on. */
      readonly error: SessionError;
      /** If true, `resume` continues under the same key. If false, the try-on was deleted. */
      readonly canResume: boolean;
      /** Id of the job. Undefined if none is known. */
      readonly jobId: string | undefined;
    } & Started)
  /** The visitor stopped waiting. The job continues, and `resume` waits again. */
  | ({
      /** State of the try-on. */
      readonly status: "interrupted";
    } & Started);

/** Options of `createTryOnSession`. */
export interface TryOnSessionOptions {
  /**
   * Name of the session. Pages of one origin with the same name share one try-on; use one name per product, for example.
   *
   * @default "try-on"
   */
  readonly name?: string | undefined;
  /**
   * Id of the user who is signed in, such as the `id` that `authorize` of the proxy returns. At least one character. A
   * session neither shows nor sends the try-ons of other users, or those without a user. When it opens, it deletes the
   * try-ons of other users. Call `resetAll` at sign-out.
   *
   * @default none: all visitors of this browser share the try-ons without a user
   */
  readonly user?: string | undefined;
  /**
   * Prepares the input before it is saved and sent, for example with `prepareImage`.
   *
   * @default the input is used as it is
   */
  readonly prepare?:
    | ((
        input: TryOnInput,
        options: {
          /** Aborted when the try-on is canceled, replaced or reset, or the session is closed. */
          readonly signal: AbortSignal;
        },
      ) => TryOnInput | PromiseLike<TryOnInput>)
    | undefined;
  /**
   * Maximum time of a submission, and of a wait for the result, in milliseconds or as a string such as `"3m"`.
   *
   * @default "5m"
   */
  readonly timeout?: Duration | undefined;
  /**
   * Time for which the browser keeps a try-on, in milliseconds or as a string such as `"30m"`. The next session that opens
   * deletes the try-ons of all names and users that are older than their own `maxAge`.
   *
   * @default 24 hours
   */
  readonly maxAge?: Duration | undefined;
}

/** Try-on of one visitor, returned by `createTryOnSession`. The methods need no `this`. */
export interface TryOnSession {
  /**
   * Starts a try-on, which is charged. It replaces the try-on before it in all tabs: a job that runs is not canceled, and its
   * charge stays. Resolves when the try-on has ended; never rejects.
   */
  readonly start: (input: TryOnInput) => Promise<void>;
  /** Calls a function after each change of the state, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the state: the same object until it changes. */
  readonly getSnapshot: () => TryOnSnapshot;
  /** Stops waiting, in all tabs. The job continues and is charged. Before anything was sent, the state becomes `idle`. */
  readonly cancelWait: () => void;
  /** Continues after `cancelWait`, and after an error with `canResume`. One `start` is charged at most once. */
  readonly resume: () => Promise<void>;
  /**
   * Deletes the try-on of this session and its images from this browser, and shows `idle` in all tabs. Other names and users
   * keep theirs; `resetAll` deletes all. The service keeps its images.
   */
  readonly reset: () => Promise<void>;
  /** Ends the session in this tab. Another tab, or the next page, continues the try-on. */
  readonly close: () => void;
}
