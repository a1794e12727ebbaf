import type { State } from "../routes/state.ts";
import { loadState, Refused } from "./server.ts";

/** A message at the lower edge of the page. */
export interface Notice {
  readonly id: number;
  readonly kind: "done" | "failed";
  readonly text: string;
}

/** How long, in milliseconds, between two looks at the server, and until a message goes by itself. */
const pauses = { look: 1_000, done: 6_000, failed: 20_000 } as const;

/** What the page knows besides the document: the server's state, and where the person at it stands. */
export class PageModel {
  state: State | undefined;
  /** Why the server is out of reach; undefined while it answers. */
  lost: string | undefined;
  /** Goes up each time the server comes back: it may be another one, with other images under the same names. */
  returns = 0;
  status = "";
  chosenId = "";
  notices: readonly Notice[] = [];
  snapshots: readonly { readonly id: string; readonly at: number }[] = [];
  /** Whether the next click on the button resets the server. */
  resetArmed = false;
  /** Calls that wait for the end of their job. */
  held = 0;
  readonly #busy = new Set<string>();
  readonly #render: (desk: PageModel) => void;
  #asked = 0;
  #seen = 0;
  #noticed = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(render: (desk: PageModel) => void) {
    this.#render = render;
  }

  render(): void {
    this.#render(this);
  }

  /** Looks at the server now, and again and again from then on. Only a page that is seen looks. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    const number = (this.#asked += 1);
    const query = {
      ...(this.status !== "" && { status: this.status }),
      ...(this.chosenId !== "" && { job: this.chosenId }),
    };
    let found: State | undefined;
    let problem: string | undefined;
    try {
      found = await loadState(query);
    } catch (error) {
      problem = error instanceof Refused ? error.message : "It cannot be reached.";
    }
    // An answer that was overtaken by a later one is old.
    if (number < this.#seen) return;
    this.#seen = number;
    if (found !== undefined && this.lost !== undefined) this.returns += 1;
    this.state = found ?? this.state;
    this.lost = problem;
    this.render();
    if (number === this.#asked && !document.hidden) {
      this.#timer = setTimeout(() => void this.look(), pauses.look);
    }
  }

  isBusy(name: string): boolean {
    return this.#busy.has(name);
  }

  /** Does something under a name, once at a time, then looks; what it gives is said, and so is what goes wrong. */
  async perform(name: string, work: () => Promise<string | undefined>): Promise<void> {
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    this.render();
    await this.tell(work);
    this.#busy.delete(name);
    await this.look();
  }

  /** Does something and says what came of it. */
  async tell(work: () => Promise<string | undefined>): Promise<void> {
    try {
      const text = await work();
      if (text !== undefined) this.notice("done", text);
    } catch (error) {
      const unreachable = "The server could not be reached, or broke the connection.";
      this.notice("failed", error instanceof Refused ? error.message : unreachable);
    }
  }

  notice(kind: Notice["kind"], text: string): void {
    const id = (this.#noticed += 1);
    this.notices = [...this.notices, { id, kind, text }].slice(-4);
    setTimeout(() => this.dismiss(id), pauses[kind]);
    this.render();
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
    this.render();
  }
}
