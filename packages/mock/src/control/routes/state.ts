import type { DeliveryCause, JobStatus, KeyMode, KeyState } from "../../store/records.ts";
import type { faultView } from "./views.ts";

/** Everything that the page for people shows, in one answer. Times are milliseconds since 1970 of the server's clock. */
export interface State {
  readonly now: number;
  readonly clock: "real" | "manual";
  /** What is due first. */
  readonly next: { readonly kind: "job-end" | "delivery"; readonly at: number } | null;
  /** Another number after each reset and restore, when the same ids may mean other things. */
  readonly epoch: number;
  readonly jobs: {
    readonly counts: Readonly<Record<JobStatus, number>>;
    /** Newest first. */
    readonly latest: readonly JobState[];
  };
  /** The job that was asked for by its id; null when there is none. */
  readonly chosen: ChosenJob | null;
  readonly deliveries: { readonly total: number; readonly latest: readonly DeliveryState[] };
  readonly keys: readonly KeyAccount[];
  readonly next_jobs: readonly NextJobState[];
  readonly faults: readonly FaultState[];
  /** Only those that differ from their default. */
  readonly options: readonly OptionState[];
}

export interface JobState {
  readonly job_id: string;
  readonly status: JobStatus;
  readonly output_size: string;
  readonly cost_credits: number;
  readonly test_mode: boolean;
  /** Masked. */
  readonly api_key: string;
  readonly created_at: number;
  /** Null while it waits for a place. */
  readonly started_at: number | null;
  /** When it is going to end; null for one that has ended, waits for a place or runs for ever. */
  readonly due_at: number | null;
  readonly completed_at: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly seed: number | null;
  readonly webhook_url: string | null;
  readonly result: ImageState | null;
}

interface ImageState {
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** A job with what else is known of it. */
export interface ChosenJob extends JobState {
  /** The words of the request; null when the journal has dropped its call. */
  readonly prompt: string | null;
  /** What the model was told. */
  readonly instruction: string | null;
  readonly deliveries: readonly DeliveryState[];
}

export interface DeliveryState {
  readonly delivery_id: string;
  readonly job_id: string;
  readonly url: string;
  readonly cause: DeliveryCause;
  /** The delivery that this one repeats. */
  readonly repeats: string | null;
  readonly state: "pending" | "delivered" | "given-up";
  readonly next_attempt_at: number | null;
  readonly attempts: readonly {
    readonly at: number;
    readonly status: number | null;
    readonly ms: number;
    readonly error: string | null;
  }[];
}

/** A key, its balance and the end of its ledger. */
export interface KeyAccount {
  readonly key_id: string;
  /** Masked. */
  readonly api_key: string;
  /** The whole key, when it is one of those that every server has. */
  readonly token: string | null;
  readonly name: string | null;
  readonly mode: KeyMode;
  readonly state: KeyState | "flagged";
  readonly credits: number;
  readonly rate_limit_per_min: number;
  readonly total_calls: number;
  readonly ledger: {
    readonly total: number;
    /** Newest first. */
    readonly latest: readonly {
      readonly credits: number;
      readonly cause: string;
      readonly job_id: string | null;
      readonly at: number;
    }[];
  };
}

interface NextJobState {
  readonly outcome: "succeeded" | "failed" | "never";
  readonly error_message: string | null;
  readonly duration_ms: number | null;
  readonly api_key: string | null;
}

/** A fault as the control API shows it. */
export type FaultState = ReturnType<typeof faultView>;

export interface OptionState {
  readonly id: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly summary: string;
}
