import type { State } from "../routes/state-view.ts";
import type { Requests } from "../routes/page-routes.ts";
import { loadRequests, loadState, type RequestFilter } from "./api.ts";

interface Notice {
  readonly kind: "done" | "failed";
  readonly text: string;
}

/** Milliseconds between two polls, and until a notice disappears. */
const delays = { poll: 1_000, done: 6_000, failed: 20_000 } as const;

class PageModel {
  onChange = (): void => {};
  state: State | undefined;
  requests: Requests | undefined;
  filter: RequestFilter = { status: "", path: "" };
  pollError: string | undefined;
  notice: Notice | undefined;
  #polls = 0;
  #pollTimer: ReturnType<typeof setTimeout> | undefined;
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;

  async poll(): Promise<void> {
    clearTimeout(this.#pollTimer);
    const number = (this.#polls += 1);
    const loads = Promise.all([loadState(), loadRequests(this.filter)]);
    const result = await loads.catch(messageOf);
    // A later poll determines the state.
    if (number !== this.#polls) return;
    if (typeof result === "string") this.pollError = result;
    else [this.state, this.requests, this.pollError] = [...result, undefined];
    this.onChange();
    if (!document.hidden) this.#pollTimer = setTimeout(() => void this.poll(), delays.poll);
  }

  filterRequests(filter: Partial<RequestFilter>): void {
    this.filter = { ...this.filter, ...filter };
    this.onChange();
    void this.poll();
  }

  /** Runs a command and shows the text that it returns, or its error, as a notice. Then polls without waiting for it. */
  async run(command: () => Promise<unknown>): Promise<void> {
    try {
      const result = await command();
      if (typeof result === "string") this.show({ kind: "done", text: result });
    } catch (error) {
      this.show({ kind: "failed", text: messageOf(error) });
    }
    void this.poll();
  }

  show(notice?: Notice): void {
    clearTimeout(this.#noticeTimer);
    this.notice = notice;
    if (notice) this.#noticeTimer = setTimeout(() => this.show(), delays[notice.kind]);
    this.onChange();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const page = new PageModel();
