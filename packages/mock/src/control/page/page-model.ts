import type { State } from "../routes/state-view.ts";
import { NoticeError, loadState } from "./api.ts";

/** A message at the bottom of the page. */
interface Notice {
  readonly id: number;
  readonly kind: "done" | "failed";
  readonly text: string;
}

/** Milliseconds between two polls, and until a notice disappears. */
const delays = { poll: 1_000, done: 6_000, failed: 20_000 } as const;

/** State of the page: the last state of the server, the user's selection and the notices. */
class PageModel {
  /** Renders the page. */
  onChange = (): void => {};
  state: State | undefined;
  /** Reason why the last poll failed. */
  pollError: string | undefined;
  /** Number of reconnects. Another server may use the same ids for other images. */
  reconnects = 0;
  /** Status by which the list of jobs is filtered; all if empty. */
  status = "";
  /** Id of the job in the dialog; empty if the dialog is closed. */
  jobId = "";
  notices: readonly Notice[] = [];
  #pollsSent = 0;
  #lastPoll = 0;
  #lastNotice = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  select(selection: { readonly status: string } | { readonly jobId: string }): void {
    Object.assign(this, selection);
    this.onChange();
    void this.poll();
  }

  /** Polls the server now, and then every second while the page is visible. */
  async poll(): Promise<void> {
    clearTimeout(this.#timer);
    const number = (this.#pollsSent += 1);
    let state: State | undefined;
    let pollError: string | undefined;
    try {
      state = await loadState(this.status, this.jobId);
    } catch (error) {
      pollError = error instanceof NoticeError ? error.message : "It cannot be reached.";
    }
    // A later poll has already finished.
    if (number < this.#lastPoll) return;
    this.#lastPoll = number;
    if (state !== undefined && this.pollError !== undefined) this.reconnects += 1;
    this.state = state ?? this.state;
    this.pollError = pollError;
    this.onChange();
    if (number === this.#pollsSent && !document.hidden) {
      this.#timer = setTimeout(() => void this.poll(), delays.poll);
    }
  }

  /** Runs a command and shows the text that it returns, or its error, as a notice. Then polls without waiting for it. */
  async run(command: () => Promise<unknown>): Promise<void> {
    try {
      const result = await command();
      if (typeof result === "string") this.#notify("done", result);
    } catch (error) {
      const unreachable = "The server could not be reached, or closed the connection.";
      this.#notify("failed", error instanceof NoticeError ? error.message : unreachable);
    }
    void this.poll();
  }

  #notify(kind: Notice["kind"], text: string): void {
    const id = (this.#lastNotice += 1);
    this.notices = [...this.notices, { id, kind, text }].slice(-4);
    setTimeout(() => this.dismiss(id), delays[kind]);
    this.onChange();
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
    this.onChange();
  }
}

export const page = new PageModel();
