import { isBranded } from "../errors/tryon-error.ts";
import type { Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";

/** The sizes of pages, from what the document of the service suggests to what every service gives. */
const sizes = [100, 50, 20] as const;
/** How long jobs are asked for by their ids when they are given and the list is not, in milliseconds. */
const withoutList = 60_000;

/** The list of jobs page by page, as far as the service gives it: in what size, and whether at all. */
export class JobPages {
  readonly #api: Api;
  /** Which of {@link sizes} is asked for; behind them when the list is closed. */
  #size = 0;
  /** When the list is asked for again that failed while jobs were given, in milliseconds since 1970. */
  #openFrom = 0;
  /** Whether the list has failed since it was last given. */
  fails = false;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Whether the list is given in no size, and will not be. */
  get isClosed(): boolean {
    return this.#size >= sizes.length;
  }

  /** Whether it is worth asking for. */
  isOpen(now: number): boolean {
    return !this.isClosed && now >= this.#openFrom;
  }

  /** Takes note that a job was given by its id: if the list is not, then it is the list that is out of order. */
  jobWasGiven(now: number): void {
    if (this.fails) this.#openFrom = now + withoutList;
    this.fails = false;
  }

  /** A page; nothing when it was not given like this, and is to be asked for again unless the list is closed. */
  async page(cursor: string | undefined, deadline: Deadline) {
    const limit = sizes[this.#size];
    if (limit === undefined) return undefined;
    try {
      const query = { limit, ...(cursor && { cursor }) };
      const { data: page } = await this.#api.listJobs(query, { deadline });
      this.fails = false;
      this.#openFrom = 0;
      return page;
    } catch (error) {
      const { status = 0 } = isBranded(error) ? error : {};
      if (status === 400 || status === 422) this.#size += 1;
      // What stands before the service may keep the list closed, and still let jobs be asked for.
      else if (status === 403 || status === 404 || status === 405) this.#size = sizes.length;
      else {
        this.fails = true;
        throw error;
      }
      return undefined;
    }
  }
}
