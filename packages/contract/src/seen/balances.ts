import { isEnd } from "../submission.ts";
import type { Evidence } from "../open-points.ts";
import { isSubmit, type Seen, type SeenJob } from "./seen.ts";

interface Balance {
  credits: number;
  /**
   * Jobs whose end was not seen, by id: whether the balance has their charge, as a response after it says (`charged`), or is
   * from before their submission (`later`), or whether it is from between the submission and the end (`between`).
   */
  open: Map<string, "charged" | "later" | "between">;
  /** Jobs that have failed since, each submitted at that balance. */
  failed: SeenJob[];
  /** If true, a charge or refund can be before or after the balance. */
  isUnclear: boolean;
}

export class Balances {
  readonly #balances = new Map<string, Balance>();

  evidence({ key, operation, got }: Seen): Evidence {
    const balance = this.#balances.get(key ?? "");
    const credits = got["credits_remaining"];
    if (operation !== "GET /api/v1/account" || typeof credits !== "number") return undefined;
    if (!balance || balance.isUnclear || balance.open.size > 0) return undefined;
    const [first] = balance.failed;
    const areEqual = balance.failed.every(({ ended }) => ended?.blocked === first?.ended?.blocked);
    if (first === undefined || !areEqual) return undefined;
    const isBlocked = first.ended?.blocked === true;
    const total = balance.failed.reduce((sum, { cost = 0 }) => sum + cost, 0);
    const change = credits - balance.credits;
    if (change === 0) return isBlocked ? ["none", "failed-except-content-blocked"] : ["none"];
    if (change !== total) return undefined;
    return isBlocked ? ["failed"] : ["failed", "failed-except-content-blocked"];
  }

  forget(key: string | null): void {
    this.#balances.delete(key ?? "");
  }

  /** Adds an exchange. `job` is the job of its response, and `isNew` that it was submitted now. */
  add(seen: Seen, job: SeenJob | undefined, isNew: boolean): void {
    const { key, got, status } = seen;
    if (!key?.startsWith("live-") || status !== 200) return;
    const { credits_remaining: credits, job_id: id, status: jobStatus } = got;
    const balance = this.#balances.get(key);
    const place = typeof id === "string" ? balance?.open.get(id) : undefined;
    if (balance && job && place !== undefined && isEnd(jobStatus)) {
      balance.open.delete(String(id));
      if (place === "later") balance.credits -= job.cost ?? 0;
      if (job.cost === undefined) balance.isUnclear = true;
      if (jobStatus === "failed" && place === "between") balance.isUnclear = true;
      else if (jobStatus === "failed") balance.failed.push(job);
    }
    const isSubmission = isSubmit(seen);
    if (isSubmission && !isNew) return;
    if (typeof credits === "number") {
      const earlier = [...(balance?.open.keys() ?? [])];
      const open: Balance["open"] = new Map(earlier.map((jobId) => [jobId, "between"]));
      if (isSubmission && typeof id === "string" && !isEnd(jobStatus)) open.set(id, "charged");
      this.#balances.set(key, { credits, open, failed: [], isUnclear: false });
    } else if (isSubmission && balance && typeof id === "string") {
      if (isEnd(jobStatus)) balance.isUnclear = true;
      else balance.open.set(id, "later");
    }
  }
}
