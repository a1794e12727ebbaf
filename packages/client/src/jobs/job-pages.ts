import { isBranded } from "../errors/tryon-error.ts";
import type { Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";

/** Minimum time for which jobs are polled by id while only the list fails, in milliseconds. */
const closedTime = 60_000;

/** Pages of the job list, while the service returns them. */
export class JobPages {
  readonly #api: Api;
  /** Page sizes to try, from the documented maximum to the default. */
  readonly #sizes = [100, 50, 20];
  /** Time of the next request after a failure of the list alone, in milliseconds since 1970. */
  #opensAt = 0;
  /** If true, the last request for a page failed. */
  fails = false;

  constructor(api: Api) {
    this.#api = api;
  }

  /** If true, the service rejects every page size. */
  get isClosed(): boolean {
    return this.#sizes.length === 0;
  }

  isOpen(now: number): boolean {
    return !this.isClosed && now >= this.#opensAt;
  }

  /** Records a successful poll by id. If the list fails at the same time, it stays closed for a minute. */
  recordPollById(now: number): void {
    if (this.fails) this.#opensAt = now + closedTime;
    this.fails = false;
  }

  /** Returns a page, or undefined if the service rejects its size. */
  async page(cursor: string | undefined, deadline: Deadline) {
    const [limit = 20] = this.#sizes;
    const query = { limit, ...(cursor && { cursor }) };
    try {
      const { data: page } = await this.#api.listJobs(query, { deadline });
      this.fails = false;
      this.#opensAt = 0;
      return page;
    } catch (error) {
      // An abort is not a failure of the list.
      deadline.throwIfAborted();
      const { status = 0 } = isBranded(error) ? error : {};
      if (status === 400 || status === 422) this.#sizes.shift();
      // A proxy may close the list, and still forward polls by id.
      else if (status === 403 || status === 404 || status === 405) this.#sizes.length = 0;
      else {
        this.fails = true;
        throw error;
      }
      return undefined;
    }
  }
}
