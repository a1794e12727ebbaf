import type { Charge, Shares } from "./charge.ts";

/** A balance, and what had been taken and bought by then. */
export interface Mark {
  readonly balance: number;
  readonly taken: number;
  readonly bought: number;
  /** What of that may have been taken only later. */
  readonly doubtful?: number;
}

/**
 * By how much a balance is higher than if everything taken since the mark were gone for good and everything bought were
 * there: that much has come back, or was never taken. What others take from the key makes it less; what they buy, or what
 * is given back to them of before the mark, makes it more.
 */
function surplusOf(balance: number, mark: Mark, now: Pick<Mark, "taken" | "bought">): number {
  return balance - mark.balance + (now.taken - mark.taken) - (now.bought - mark.bought);
}

/** What charges hold of the credits that may or may not have been taken yet. */
function heldBy(charges: Iterable<Charge>): number {
  let credits = 0;
  for (const charge of charges) credits += charge.sums.taken;
  return credits;
}

/** What this client has done to the balance of its key, and what looks at the balance show to have come back. */
export class Balance {
  #taken = 0;
  #loose = 0;
  /** What purchases may have added. */
  #bought = 0;
  /** What of that may not be there yet. */
  #due = 0;
  #mark: Mark | undefined;
  #surplus = Number.NEGATIVE_INFINITY;
  #stale = false;
  #look: Promise<boolean> | undefined;
  /** What was under way at some moment of the look that is going on. */
  #touched: Set<Charge> | undefined;
  /** What was under way at the last look and hid what had come back. */
  #hiding = new Set<Charge>();

  /** Whether there is a balance that later ones can be compared with. */
  get known(): boolean {
    return this.#mark !== undefined;
  }

  /** What was taken and may have come back. */
  get loose(): number {
    return this.#loose;
  }

  /** What had come back for certain by the last look. */
  get surplus(): number {
    return this.#surplus;
  }

  /** Whether something has changed that another look would show. */
  get stale(): boolean {
    return this.#stale;
  }

  /** Takes the balance that later ones are compared with. */
  begin(balance: unknown): void {
    if (Number.isFinite(balance)) this.#mark = this.mark(Number(balance));
  }

  /** Where the key stands, to be compared with a later balance. */
  mark(balance: number): Mark {
    return { balance, taken: this.#taken, bought: this.#bought - this.#due };
  }

  /** What has been taken for certain. */
  certainlyTaken(pending: Iterable<Charge>): number {
    return this.#taken - heldBy(pending);
  }

  /**
   * Whether a balance shows that so many bought credits have come since a mark: it has risen by as much, and all else that
   * this client did would not explain it. What others do can hide that, and would have to be as much to feign it.
   */
  shows(credits: number, mark: Mark, balance: number, pending: Iterable<Charge>): boolean {
    const { doubtful = 0 } = mark;
    const risen = balance - mark.balance + (this.#taken - mark.taken) + doubtful;
    const unexplained = this.#above(mark, balance) + credits - heldBy(pending) - this.#loose;
    return risen >= credits && unexplained > 0;
  }

  /** Takes what a purchase may add, or that it did not, and how much of it may still come. */
  buy(credits: number, due: number): void {
    this.#bought += credits;
    this.#due += due;
    this.#stale = true;
  }

  /** Takes that a charge has begun, or has changed from what it was. */
  take(charge: Charge, before: Shares): void {
    const { sums, early, state } = charge;
    const taken = sums.taken - before.taken;
    this.#taken += taken;
    this.#loose += sums.loose - before.loose;
    if (early && this.#mark) {
      // It is no part of what happened since the mark.
      this.#mark = { ...this.#mark, taken: this.#mark.taken + taken };
    }
    if (state === "open") this.#touched?.add(charge);
    const shows = state !== "open" && this.#hiding.delete(charge) && this.#hiding.size === 0;
    if (shows || sums.doubt > before.doubt) this.#stale = true;
  }

  /** Looks at the balance, once for all who want to; gives false when it could not be seen. */
  look(pending: Iterable<Charge>, ask: () => Promise<number>): Promise<boolean> {
    return (this.#look ??= this.#lookOnce(new Set(pending), ask));
  }

  async #lookOnce(touched: Set<Charge>, ask: () => Promise<number>): Promise<boolean> {
    this.#stale = false;
    // While the service answers, each of these is taken from the balance sooner or later.
    this.#touched = touched;
    try {
      const balance = await ask();
      if (this.#mark === undefined) this.begin(balance);
      else if (Number.isFinite(balance)) {
        this.#surplus = this.#above(this.#mark, balance) - heldBy(touched);
        this.#hiding = new Set([...touched].filter(({ state }) => state === "open"));
        // What has ended meanwhile hid something, too, and does no more.
        if ([...touched].some(({ sums }) => sums.taken > sums.reserved)) this.#stale = true;
      }
      return true;
    } catch {
      this.#stale = true;
      return false;
    } finally {
      this.#touched = undefined;
      this.#look = undefined;
    }
  }

  #above(mark: Mark, balance: number): number {
    return surplusOf(balance, mark, { taken: this.#taken, bought: this.#bought });
  }
}
